-- Words of long texts for half the time: each step is made once, stems of each word once, and signs are replaced in one pass
-- (`translate` compares each character with each sign).

-- See 20261124120000_words.sql: a text's words, the same.
create or replace function lessonloop.words_of(p_text text) returns tsvector
language sql stable
return (
  -- The parts: everything that is neither letter nor digit lies between words.
  select to_tsvector('lessonloop.words', regexp_replace(
      case when x.t ~ '[[:lower:]][[:upper:]]' then regexp_replace(x.t, '([[:lower:]])([[:upper:]])', '\1 \2', 'g') else x.t end,
      '[-!"#$%&()*+,./:;<=>?@[\\\]^_`{|}~]+', ' ', 'g'))
    -- The wholes.
    || case when x.t ~ '[[:alnum:]]([-_./:][[:alnum:]]|[#]|\+\+)|[[:lower:]][[:upper:]]' then coalesce((
         select array_to_tsvector(array_agg(lessonloop.stem(w.word))) from (
           -- Stems of each word once; compared by bytes, which is cheaper than by the locale.
           select distinct lower(m[1]) collate "C" as word
           from regexp_matches(x.t, '([[:alnum:]]+(?:(?:[-_./:][[:alnum:]]+)+(?:\+\+|#)?|\+\+|#)|[[:alnum:]]*[[:lower:]][[:upper:]][[:alnum:]]*)', 'g') m
           where octet_length(m[1]) <= 64) w), '') else '' end
  from (
    select case when s.t ~ '[\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF]'
      then regexp_replace(s.t, '([\u0E00-\u0E7F\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF])', ' \1 ', 'g') else s.t end as t
    from (select translate(coalesce(p_text, ''), '''’', '') as t offset 0) s
    -- Made once each, however often they are read above.
    offset 0
  ) x);

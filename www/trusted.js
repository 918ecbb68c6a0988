// The scripts that may be started beside the page's: its own workers, by their names. And the markup allowed: the fixed parts
// of the pages, as the compiler wrote them, in a closed grammar that knows no script, style, frame, handler or address of
// elsewhere. Where Trusted Types are enforced, no other text becomes the address of a script, or a script, or markup. What
// lessons say is never markup. Pages and workers load this first.
{
  const STARTED = ["/engine-worker.js", "/embed-worker.js", "/sw.js", "/precache.js"];
  const TAGS = [
    "a|article|aside|b|blockquote|br|button|caption|code|datalist|dd|del|details|div|dl|dt|em|fieldset|figcaption|figure",
    "footer|form|g|h[1-5]|header|hr|i|input|ins|kbd|label|legend|li|main|mark|meter|nav|ol|option|output|p|pre|progress",
    "section|select|small|span|strong|summary|svg|table|tbody|td|tfoot|th|thead|time|tr|ul",
    "circle|line|path|polygon|polyline|rect|text",
  ].join("|");
  const ATTRIBUTES = [
    "class|id|type|role|scope|for|dir|tabindex|title|placeholder|autocomplete|name|rows|cols|list|min|max|maxlength|spellcheck",
    "hidden|open|disabled|checked|multiple|colspan|lang|label|value|d|cx|cy|r|rx|x|y|x1|x2|y1|y2|width|height|viewBox|points",
    "fill|stroke|data-[a-z-]+|aria-[a-z-]+",
  ].join("|");
  const HREF = 'href="(?:/(?![/\\\\])|#)[^"<>]*"';
  const MARKUP = new RegExp(
    `^(?:[^<]+|<(?:${TAGS})(?:\\s+(?:${HREF}|(?:${ATTRIBUTES})(?:="[^"<>]*")?))*\\s*>|</(?:${TAGS})>)*$`,
  );
  globalThis.trustedTypes?.createPolicy("default", {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.origin);
      if (origin === location.origin && STARTED.includes(pathname)) return address;
      throw new TypeError(`${address} is no script that is started here`);
    },
    createHTML(markup) {
      if (MARKUP.test(markup)) return markup;
      throw new TypeError(`${markup.slice(0, 200)} is no markup of a page`);
    },
  });
}

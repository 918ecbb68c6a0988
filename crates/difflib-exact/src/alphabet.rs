//! Code points of the second sequence as small dense ids, looked up through a two-level table.

const PAGE: usize = 256;

/// Id of every code point that isn't in the second sequence.
pub(super) const ABSENT: u32 = 0;

/// Maps code points to ids 1, 2, 3, … in order of first appearance; all others to [`ABSENT`].
///
/// `directory` is only as long as the highest page seen, so plain ASCII costs one page of 1 KiB and the whole of
/// Unicode at most 4.5 MB.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    /// Page number by `code point / 256`; page 0 stays empty and stands for "nothing here".
    directory: Vec<u32>,
    pages: Vec<[u32; PAGE]>,
    symbols: Vec<char>,
}

impl Alphabet {
    pub(super) fn new() -> Self {
        Self {
            directory: Vec::new(),
            pages: vec![[ABSENT; PAGE]],
            symbols: Vec::new(),
        }
    }

    /// Forgets all ids but keeps the memory; costs one store per known symbol.
    pub(super) fn clear(&mut self) {
        for index in 0..self.symbols.len() {
            let code = self.symbols[index] as usize;
            let page = self.directory[code / PAGE] as usize;
            self.pages[page][code % PAGE] = ABSENT;
        }
        self.symbols.clear();
    }

    /// Number of distinct code points; ids run from 1 to this.
    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// The id of `symbol`, or [`ABSENT`].
    #[inline]
    pub(super) fn find(&self, symbol: char) -> u32 {
        let code = symbol as usize;
        match self.directory.get(code / PAGE) {
            Some(&page) => self.pages[page as usize][code % PAGE],
            None => ABSENT,
        }
    }

    /// The id of `symbol`, given one if it is new.
    #[inline]
    pub(super) fn intern(&mut self, symbol: char) -> u32 {
        match self.find(symbol) {
            ABSENT => self.add(symbol),
            known => known,
        }
    }

    fn add(&mut self, symbol: char) -> u32 {
        let code = symbol as usize;
        let entry = code / PAGE;
        if self.directory.len() <= entry {
            self.directory.resize(entry + 1, 0);
        }
        if self.directory[entry] == 0 {
            self.directory[entry] = self.pages.len() as u32;
            self.pages.push([ABSENT; PAGE]);
        }
        self.symbols.push(symbol);
        let id = self.symbols.len() as u32;
        self.pages[self.directory[entry] as usize][code % PAGE] = id;
        id
    }
}

/** The search itself, without user interface. */
import MiniSearch from 'minisearch'
import { containsAllWords, synonymOf } from './query.ts'
import { fuzzyOptions, indexFrom, type SearchData, searchOptions } from './search-data.ts'

export type Hit = {
  readonly section: string
  readonly title: string
  /** Empty if the hit is the page itself. */
  readonly heading: string
  readonly href: string
  readonly excerpt: string
}

export type SearchFunction = (query: string) => readonly Hit[]

const maxHits = 24

export function createSearch(data: SearchData): SearchFunction {
  const index = MiniSearch.loadJS(indexFrom(data.index), searchOptions)
  const rankPassages = (terms: string, options = {}): number[] =>
    index
      .search(terms, options)
      .map(({ id, score }) => ({
        passage: id as number,
        score: score * weightOf(data, id) * titleFactor(data, id, terms),
        rank: rankOf(data, id, terms),
      }))
      .toSorted((a, b) => b.rank - a.rank || b.score - a.score)
      .map(({ passage }) => passage)
  return (query) => {
    const terms = query.trim().toLowerCase().replaceAll(/\s+/g, ' ')
    const synonym = synonymOf(terms)
    const [best = [], others = []] = synonym === null ? [] : splitFirst(rankPassages(synonym))
    // The best hit for the synonym comes first. Its other hits come after the hits for the typed word.
    const exactMatches = [...best, ...rankPassages(terms), ...others]
    const passages = exactMatches.length > 0 ? exactMatches : rankPassages(terms, fuzzyOptions)
    return [...new Set(passages)].slice(0, maxHits).map((passage) => hitOf(data, passage))
  }
}

const splitFirst = (passages: readonly number[]) => [passages.slice(0, 1), passages.slice(1)]

/**
 * A passage with exactly this code as its name ranks first, however often other passages mention it. Next are names that
 * begin with the query, if the query looks like a code (contains `.` or `_`). Then pages with all words in their title.
 */
function rankOf({ pages, passages }: SearchData, id: number, terms: string): number {
  const [page = 0, , anchor, , names = ''] = passages[id] ?? []
  if (names.split(' ').includes(terms)) return 3
  if (/[._]/.test(terms) && names.split(' ').some((name) => name.startsWith(terms))) return 2
  const hasNoCodes = anchor === '' && names === ''
  return hasNoCodes && containsAllWords(pages[page]?.[0] ?? '', terms) ? 1 : 0
}

/** Passages of a page with one of the words in its title rank higher. */
function titleFactor({ pages, passages }: SearchData, id: number, terms: string): number {
  const [page = 0, , anchor] = passages[id] ?? []
  const title = pages[page]?.[0] ?? ''
  return anchor !== '' && terms.split(' ').some((word) => containsAllWords(title, word)) ? 1.5 : 1
}

function weightOf({ sections, pages, passages }: SearchData, id: number): number {
  const [page = 0] = passages[id] ?? []
  const [, , section = 0] = pages[page] ?? []
  return sections[section]?.[1] ?? 1
}

function hitOf({ sections, pages, passages }: SearchData, id: number): Hit {
  const [page = 0, heading = '', anchor = '', excerpt = ''] = passages[id] ?? []
  const [title = '', path = '', sectionIndex = 0] = pages[page] ?? []
  const href = anchor === '' ? path : `${path}#${anchor}`
  const [section = ''] = sections[sectionIndex] ?? []
  return { section, title, heading, href, excerpt }
}

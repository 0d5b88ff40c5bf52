/** Finds passages. It knows no page and no button. */
import MiniSearch from 'minisearch'
import { holdsAll, synonymOf } from './query.ts'
import { forgiving, type SearchData, searchOptions } from './search-data.ts'

export type Hit = {
  readonly section: string
  readonly title: string
  /** Empty: the hit is the page itself. */
  readonly heading: string
  readonly href: string
  readonly excerpt: string
}

export type Find = (query: string) => readonly Hit[]

const mostHits = 24

export function createFind(data: SearchData): Find {
  const index = MiniSearch.loadJS(data.index, searchOptions)
  const ranked = (wanted: string, options = {}): number[] =>
    index
      .search(wanted, options)
      .map(({ id, score }) => ({
        passage: id as number,
        score: score * weightOf(data, id) * subjectOf(data, id, wanted),
        rank: rankOf(data, id, wanted),
      }))
      .toSorted((one, other) => other.rank - one.rank || other.score - one.score)
      .map(({ passage }) => passage)
  return (query) => {
    const wanted = query.trim().toLowerCase().replaceAll(/\s+/g, ' ')
    const synonym = synonymOf(wanted)
    const [best = [], others = []] = synonym === null ? [] : split(ranked(synonym))
    // The best for the other word is what is meant; the next are no better than what has the word itself.
    const found = [...best, ...ranked(wanted), ...others]
    const passages = found.length > 0 ? found : ranked(wanted, forgiving)
    return [...new Set(passages)].slice(0, mostHits).map((passage) => hitOf(data, passage))
  }
}

const split = (found: readonly number[]) => [found.slice(0, 1), found.slice(1)]

/**
 * Whoever types a code wants what has that name, however often others mention it. Its beginning does too, if it looks
 * like one: a word that codes begin with is a word. Then come pages that are called so.
 */
function rankOf({ pages, passages }: SearchData, id: number, wanted: string): number {
  const [page = 0, , anchor, , names = ''] = passages[id] ?? []
  if (names.split(' ').includes(wanted)) return 3
  if (/[._]/.test(wanted) && names.split(' ').some((name) => name.startsWith(wanted))) return 2
  const isNamedByWords = anchor === '' && names === ''
  return isNamedByWords && holdsAll(pages[page]?.[0] ?? '', wanted) ? 1 : 0
}

/** More for a passage of a page that is about one of the words than for one that mentions them in passing. */
function subjectOf({ pages, passages }: SearchData, id: number, wanted: string): number {
  const [page = 0, , anchor] = passages[id] ?? []
  const title = pages[page]?.[0] ?? ''
  return anchor !== '' && wanted.split(' ').some((word) => holdsAll(title, word)) ? 1.5 : 1
}

function weightOf({ sections, pages, passages }: SearchData, id: number): number {
  const [page = 0] = passages[id] ?? []
  const [, , section = 0] = pages[page] ?? []
  return sections[section]?.[1] ?? 1
}

function hitOf({ sections, pages, passages }: SearchData, id: number): Hit {
  const [page = 0, heading = '', anchor = '', excerpt = ''] = passages[id] ?? []
  const [title = '', path = '', place = 0] = pages[page] ?? []
  const href = anchor === '' ? path : `${path}#${anchor}`
  const [section = ''] = sections[place] ?? []
  return { section, title, heading, href, excerpt }
}

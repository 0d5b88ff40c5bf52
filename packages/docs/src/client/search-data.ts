/** The search data, shared by the site builder and the search in the browser. */
import type { AsPlainObject, Options } from 'minisearch'

export type SearchData = {
  /** Title, and the search weight of its passages. */
  readonly sections: readonly (readonly [string, number])[]
  /** Title, path, index of the section. */
  readonly pages: readonly (readonly [string, string, number])[]
  /** Index of the page, heading, anchor, excerpt, and the codes that it describes. */
  readonly passages: readonly (readonly [number, string, string, string, string])[]
  readonly index: CompactIndex
}

/** Without the ids of the passages, which are their positions. */
export type CompactIndex = Omit<AsPlainObject, 'documentIds'>

export function compactIndexOf(index: AsPlainObject): CompactIndex {
  const { documentIds: _, ...compact } = index
  return compact
}

export function indexFrom(index: CompactIndex): AsPlainObject {
  const documentIds = Object.fromEntries(Array.from({ length: index.documentCount }, (_, id) => [id, id]))
  return { ...index, documentIds }
}

/** Stop words: they occur in nearly every passage and would make up a third of the index. */
const stopWords = new Set(
  'a after all also an and any are as at be because been before but by can do does during each every for from has have how if in into is it its may must no not of on once one only or other otherwise same see since so such than that the their them then there these they this those to until was were what when where which while who will with without would you your'.split(
    ' ',
  ),
)

/** Ids and hashes in examples, which differ in every passage. Codes such as card numbers are searched for. */
const isExampleId = (word: string) => word.length >= 20 && /\d/.test(word)

export const searchOptions: Options = {
  fields: ['title', 'heading', 'text'],
  processTerm: (term) => {
    const word = term.toLowerCase()
    return stopWords.has(word) || isExampleId(word) ? null : word
  },
  searchOptions: {
    boost: { title: 4, heading: 4 },
    combineWith: 'AND',
    prefix: true,
  },
}

/** Options for a fuzzy search, which tolerates typos. */
export const fuzzyOptions = { fuzzy: (term: string) => (term.length > 4 ? 0.2 : false) }

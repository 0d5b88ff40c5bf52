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

/** Stop words, including those of schemas: they occur in many passages and would make up a third of the index. */
const stopWords = new Set(
  '3339 a after again all also always an and another any are as at be because been before boolean but by can cannot contains default description do does during e each earlier every example explains field fields first for found from g has have how id if in integer into is it its known last later may more most must needs never new next no none not nothing null of on once one only or other otherwise own pairs per required returns rfc same see sent shown shows since so still string such switchyard take takes than that the their them then there these they this those three to too two until up use used utc was were what when where whether which while whitespace who will with within without would you your'.split(
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

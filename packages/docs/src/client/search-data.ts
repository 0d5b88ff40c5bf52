/** What the builder of the site hands to the search in the browser: both read it by the same rules. */
import type { AsPlainObject, Options } from 'minisearch'

export type SearchData = {
  /** Title, and what its passages weigh. */
  readonly sections: readonly (readonly [string, number])[]
  /** Title, address, number of the section. */
  readonly pages: readonly (readonly [string, string, number])[]
  /** Number of the page, heading, anchor, how it begins, codes that it is known by. */
  readonly passages: readonly (readonly [number, string, string, string, string])[]
  readonly index: AsPlainObject
}

/** Words that stand in nearly every passage: they would be a third of the index, and find nothing. */
const filler = new Set(
  'a all also an and are as at be but by can does for from has have how if in into is it its may no not of on one or so that the their them then there they this to was what when which who will with you your'.split(
    ' ',
  ),
)

export const searchOptions: Options = {
  fields: ['title', 'heading', 'text'],
  processTerm: (term) => {
    const word = term.toLowerCase()
    return filler.has(word) ? null : word
  },
  searchOptions: {
    boost: { title: 4, heading: 4 },
    combineWith: 'AND',
    prefix: true,
  },
}

/** For words that nobody wrote: a slip of the finger. */
export const forgiving = { fuzzy: (term: string) => (term.length > 4 ? 0.2 : false) }

/**
 * The search index. It is generated at build time and loaded on the first search. It contains an index of words and the
 * beginning of each passage, but not the full passages.
 */
import MiniSearch from 'minisearch'
import { pathOf } from './address.ts'
import { compactIndexOf, type SearchData, searchOptions } from './client/search-data.ts'
import type { Passage } from './passages.ts'
import { type Branch, type Page, pagesOf, type Tree } from './tree.ts'

const excerptCharacters = 18

export function searchDataOf({ sections }: Tree): SearchData {
  const index = new MiniSearch(searchOptions)
  const pages: SearchData['pages'][number][] = []
  const passages: SearchData['passages'][number][] = []
  const rows = sections.flatMap(({ entries }, section) =>
    entries.flatMap((entry) =>
      pagesOf(entry).map((page) => ({ page, section, searched: searchedIn(entry, page) })),
    ),
  )
  for (const [pageIndex, { page, section, searched }] of rows.entries()) {
    pages.push([page.title, pathOf(page.address), section])
    for (const { heading, anchor, text, names } of searched) {
      const title = anchor === '' ? page.title : ''
      index.add({ id: passages.length, title, heading, text: indexedText(page, text) })
      passages.push([pageIndex, heading, anchor, excerptOf(text), names.join(' ')])
    }
  }
  return {
    sections: sections.map(({ title, weight }) => [title, weight] as const),
    pages,
    passages,
    index: compactIndexOf(index.toJSON()),
  }
}

/**
 * For a command, only its description is indexed: its options match an API operation, which has its own page. The
 * operations that return an error are not indexed with it, because most errors list most operations. Of the
 * changelog only the headings are indexed: the features that it describes have pages of their own.
 */
function indexedText({ address }: Page, text: string): string {
  if (address === 'reference/cli') return firstSentenceOf(text)
  if (address === 'changelog') return ''
  return address.startsWith('errors/') ? (text.split(' Returned by. ', 1)[0] as string) : text
}

const firstSentenceOf = (text: string) => text.split(/(?<=[.:]) /, 1)[0] as string

function searchedIn(entry: Page | Branch, page: Page): readonly Passage[] {
  const isIntroductionOnly = 'index' in entry && entry.introductionOnly && page !== entry.index
  return isIntroductionOnly ? page.passages.slice(0, 1) : page.passages
}

function excerptOf(text: string): string {
  if (text.length <= excerptCharacters) return text
  const cut = text.slice(0, excerptCharacters)
  return `${cut.slice(0, cut.lastIndexOf(' '))} …`
}

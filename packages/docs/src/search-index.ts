/**
 * What is searched, made when the site is built and loaded by whoever searches first. It holds an index of words and
 * the beginning of each passage, not the passages: those are on their pages.
 */
import MiniSearch from 'minisearch'
import { pathOf } from './address.ts'
import { type SearchData, searchOptions } from './client/search-data.ts'
import { pagesOf, type Tree } from './tree.ts'

const excerptCharacters = 110

export function searchDataOf({ places }: Tree): SearchData {
  const index = new MiniSearch(searchOptions)
  const pages: SearchData['pages'][number][] = []
  const passages: SearchData['passages'][number][] = []
  const rows = places.flatMap(({ entries }, section) =>
    entries.flatMap(pagesOf).map((page) => ({ page, section })),
  )
  for (const [at, { page, section }] of rows.entries()) {
    pages.push([page.title, pathOf(page.address), section])
    for (const { heading, anchor, text, names } of page.passages) {
      const title = anchor === '' ? page.title : ''
      index.add({ id: passages.length, title, heading, text })
      passages.push([at, heading, anchor, excerptOf(text), names.join(' ')])
    }
  }
  return {
    sections: places.map(({ title, weight }) => [title, weight] as const),
    pages,
    passages,
    index: index.toJSON(),
  }
}

function excerptOf(text: string): string {
  if (text.length <= excerptCharacters) return text
  const cut = text.slice(0, excerptCharacters)
  return `${cut.slice(0, cut.lastIndexOf(' '))} …`
}

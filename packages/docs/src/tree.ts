/** The pages in their places: what stands at the side of each page, and which comes before and after it. */
import { dirname } from 'node:path'
import type { Rendered } from './markdown.ts'
import type { Group, Section } from './navigation.ts'

export type Page = Rendered & { readonly source: string; readonly address: string }

export type Branch = {
  readonly title: string
  /** Null for pages that stand in their section directly. */
  readonly index: Page | null
  readonly pages: readonly Page[]
}

export type Place = Pick<Section, 'title' | 'weight'> & { readonly entries: readonly (Page | Branch)[] }

export type Tree = {
  readonly places: readonly Place[]
  /** Pages that are in no section, and names that no page has. Both are mistakes. */
  readonly unplaced: readonly string[]
  readonly unknown: readonly string[]
}

/** Stands for the pages that nobody names. */
const others = '*'
type Entry = Page | Branch | typeof others

/** Pure. */
export function plant(sections: readonly Section[], pages: readonly Page[]): Tree {
  const unknown: string[] = []
  const find = (name: string): Page[] => {
    const page =
      pages.find(({ source }) => source === `${name}.md`) ??
      pages.find(({ source }) => source.endsWith(`/${name}.md`))
    if (page === undefined) unknown.push(name)
    return page === undefined ? [] : [page]
  }
  const named = sections.map(({ pages: entries }) =>
    entries.flatMap((entry): readonly Entry[] => {
      if (entry === others) return [others]
      return typeof entry === 'string' ? find(entry) : branchOf(entry, pages)
    }),
  )
  const taken = new Set(named.flat().flatMap((entry) => (entry === others ? [] : pagesOf(entry))))
  const places = sections.map(({ title, weight, folders }, index) => {
    const rest = folders.flatMap((folder) => inFolder(pages, folder)).filter((page) => !taken.has(page))
    for (const page of rest) taken.add(page)
    const entries = named[index] ?? []
    const order: readonly Entry[] = entries.includes(others) ? entries : [...entries, others]
    return { title, weight, entries: order.flatMap((entry) => (entry === others ? rest : [entry])) }
  })
  const unplaced = pages.filter((page) => page.address !== '' && !taken.has(page)).map(({ source }) => source)
  return { places: places.filter(({ entries }) => entries.length > 0), unplaced, unknown }
}

/** The pages of an entry, in their order. */
export function pagesOf(entry: Page | Branch): Page[] {
  if ('source' in entry) return [entry]
  return entry.index === null ? [...entry.pages] : [entry.index, ...entry.pages]
}

/** A group whose folder is empty, or not there, is no mistake: it takes pages when they come. */
function branchOf({ folder, title }: Group, pages: readonly Page[]): Branch[] {
  const index = pages.find(({ source }) => source === `${folder}/README.md`) ?? null
  const rest = inFolder(pages, folder).filter((page) => page !== index)
  if (index === null && rest.length === 0) return []
  return [{ title, index, pages: rest }]
}

function inFolder(pages: readonly Page[], folder: string): Page[] {
  return pages
    .filter(({ source }) => dirname(source) === folder)
    .toSorted((one, other) => one.title.localeCompare(other.title, 'en', { numeric: true }))
}

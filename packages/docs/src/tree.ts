/** The tree of pages, for the sidebar and for the previous and next links. */
import { basename, dirname } from 'node:path'
import type { RenderedPage } from './markdown.ts'
import type { Group, Section } from './navigation.ts'

export type Page = RenderedPage & { readonly source: string; readonly address: string }

export type Branch = {
  readonly title: string
  /** Null for pages that are directly in their section. */
  readonly index: Page | null
  readonly pages: readonly Page[]
  /** The headings between its pages, by the first page below each. */
  readonly headings: ReadonlyMap<Page, string>
  readonly introductionOnly: boolean
}

export type TreeSection = Pick<Section, 'title' | 'weight'> & { readonly entries: readonly (Page | Branch)[] }

export type Tree = {
  readonly sections: readonly TreeSection[]
  /** Pages without a section, and listed names without a page. Both are errors. */
  readonly unplaced: readonly string[]
  readonly unknown: readonly string[]
}

/** The placeholder for unlisted pages. */
const others = '*'
type Entry = Page | Branch | typeof others

/** Has no side effects. */
export function buildTree(sections: readonly Section[], pages: readonly Page[]): Tree {
  const unknown: string[] = []
  const find = (name: string): Page[] => {
    const page =
      pages.find(({ source }) => source === `${name}.md`) ??
      pages.find(({ source }) => source.endsWith(`/${name}.md`))
    if (page === undefined) unknown.push(name)
    return page === undefined ? [] : [page]
  }
  const listed = sections.map(({ pages: entries }) =>
    entries.flatMap((entry): readonly Entry[] => {
      if (entry === others) return [others]
      return typeof entry === 'string' ? find(entry) : branchOf(entry, pages)
    }),
  )
  const placed = new Set(listed.flat().flatMap((entry) => (entry === others ? [] : pagesOf(entry))))
  const treeSections = sections.map(({ title, weight, folders }, index) => {
    const rest = folders.flatMap((folder) => inFolder(pages, folder)).filter((page) => !placed.has(page))
    for (const page of rest) placed.add(page)
    const entries = listed[index] ?? []
    const order: readonly Entry[] = entries.includes(others) ? entries : [...entries, others]
    return { title, weight, entries: order.flatMap((entry) => (entry === others ? rest : [entry])) }
  })
  const unplaced = pages
    .filter((page) => page.address !== '' && !placed.has(page))
    .map(({ source }) => source)
  return { sections: treeSections.filter(({ entries }) => entries.length > 0), unplaced, unknown }
}

/** The pages of an entry, in order. */
export function pagesOf(entry: Page | Branch): Page[] {
  if ('source' in entry) return [entry]
  return entry.index === null ? [...entry.pages] : [entry.index, ...entry.pages]
}

/** An empty or missing folder of a group is not an error. */
function branchOf(group: Group, pages: readonly Page[]): Branch[] {
  const { folder, title, parts = [], introductionOnly = false } = group
  const index = pages.find(({ source }) => source === `${folder}/README.md`) ?? null
  const rest = inFolder(pages, folder).filter((page) => page !== index)
  if (index === null && rest.length === 0) return []
  const ordered = parts.map((part) => ({
    title: part.title,
    pages: part.pages.flatMap((name) => rest.find(({ source }) => basename(source, '.md') === name) ?? []),
  }))
  const placed = ordered.flatMap((part) => part.pages)
  const headings = new Map(
    ordered.flatMap((part) => part.pages.slice(0, 1).map((page) => [page, part.title] as const)),
  )
  const unlisted = rest.filter((page) => !placed.includes(page))
  return [{ title, index, pages: [...placed, ...unlisted], headings, introductionOnly }]
}

function inFolder(pages: readonly Page[], folder: string): Page[] {
  return pages
    .filter(({ source }) => dirname(source) === folder)
    .toSorted((a, b) => a.title.localeCompare(b.title, 'en', { numeric: true }))
}

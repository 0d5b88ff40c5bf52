/** Renders the whole site in memory: from repository files to site files, by path. */
import { createHash } from 'node:crypto'
import { addressOf, base, markdownUrlOf } from './address.ts'
import { type Assets, articlePage, homePage, notFoundPage } from './layout.ts'
import { rewriteMarkdownLinks } from './links.ts'
import { llmsFullOf, llmsIndexOf } from './llms.ts'
import { icon } from './logo.ts'
import { createRenderer } from './markdown.ts'
import { namesIn } from './names.ts'
import { sections } from './navigation.ts'
import { searchDataOf } from './search-index.ts'
import type { Sources } from './sources.ts'
import { buildTree, type Page, type Tree } from './tree.ts'

export type Site = {
  /** Pages by path under the base. */
  readonly pages: ReadonlyMap<string, string | Buffer>
  /** Files named by a hash of their content. */
  readonly assets: ReadonlyMap<string, string>
  readonly tree: Tree
}

/** The URLs of the styles and scripts built by Vite. */
export type BuiltFiles = Pick<Assets, 'style' | 'script' | 'theme'>

/** Pure: the same sources always produce the same site. */
export function renderSite(sources: Sources, built: BuiltFiles): Site {
  const linkTargets = { pages: new Set(sources.pages.keys()), files: new Set(sources.files.keys()) }
  const render = createRenderer(
    { ...linkTargets, bytesOf: (file) => sources.files.get(file) },
    namesIn(sources.pages),
  )
  const allPages = [...sources.pages].map(
    ([source, text]): Page => ({ source, address: addressOf(source), ...render(source, text) }),
  )
  const tree = buildTree(sections, allPages)
  const home = allPages.find(({ address }) => address === '')
  if (home === undefined) throw new Error('docs/README.md is missing: it is the home page of the site.')

  const searchIndex = hashedFile('search', 'json', JSON.stringify(searchDataOf(tree)))
  const iconFile = hashedFile('icon', 'svg', icon)
  const frame = {
    tree,
    assets: { ...built, icon: iconFile.address, searchIndex: searchIndex.address },
  }
  const textOf = ({ source }: Page): string => {
    const text = sources.pages.get(source) ?? ''
    return rewriteMarkdownLinks(source, text, linkTargets).replaceAll(/^<!--.*?-->\n+/gs, '')
  }
  const pages = new Map<string, string | Buffer>()
  for (const page of allPages) {
    const html = page === home ? homePage(frame, page) : articlePage(frame, page)
    pages.set(`${page.address || 'index'}.html`, html)
    pages.set(markdownUrlOf(page.address).slice(base.length + 1), textOf(page))
  }
  for (const [path, bytes] of sources.files) pages.set(addressOf(path), bytes)
  pages.set('404.html', notFoundPage(frame))
  pages.set('llms.txt', llmsIndexOf(tree, home))
  pages.set('llms-full.txt', llmsFullOf(tree, home, textOf))
  return { pages, assets: new Map([searchIndex, iconFile].map(({ name, text }) => [name, text])), tree }
}

function hashedFile(name: string, ending: string, text: string) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10)
  const file = `${name}-${hash}.${ending}`
  return { name: file, text, address: `${base}/assets/${file}` }
}

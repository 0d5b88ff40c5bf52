/** The whole site in memory: from the files of the repository to the files of the site, by their paths. */
import { createHash } from 'node:crypto'
import { addressOf, base, twinOf } from './address.ts'
import { type Assets, articleOf, homeOf, missingOf } from './layout.ts'
import { turnMarkdown } from './links.ts'
import { llmsFullOf, llmsIndexOf } from './llms.ts'
import { icon } from './mark.ts'
import { createRenderer } from './markdown.ts'
import { namesIn } from './names.ts'
import { sections } from './navigation.ts'
import { searchDataOf } from './search-index.ts'
import type { Sources } from './sources.ts'
import { type Page, plant, type Tree } from './tree.ts'

export type Site = {
  /** Below the base, as they are asked for. */
  readonly pages: ReadonlyMap<string, string | Buffer>
  /** Named by a hash of what they hold. */
  readonly assets: ReadonlyMap<string, string>
  readonly tree: Tree
}

/** What Vite has built: the addresses of style and scripts. */
export type Built = Pick<Assets, 'style' | 'script' | 'theme'>

/** Pure: the same sources make the same site. */
export function makeSite(sources: Sources, built: Built): Site {
  const places = { pages: new Set(sources.pages.keys()), files: new Set(sources.files.keys()) }
  const render = createRenderer(
    { ...places, bytesOf: (file) => sources.files.get(file) },
    namesIn(sources.pages),
  )
  const all = [...sources.pages].map(
    ([source, text]): Page => ({ source, address: addressOf(source), ...render(source, text) }),
  )
  const tree = plant(sections, all)
  const home = all.find(({ address }) => address === '')
  if (home === undefined) throw new Error('The home of the site is docs/README.md, and it is not there.')

  const searchIndex = hashed('search', 'json', JSON.stringify(searchDataOf(tree)))
  const picture = hashed('icon', 'svg', icon)
  const frame = {
    tree,
    assets: { ...built, icon: picture.address, searchIndex: searchIndex.address },
  }
  const textOf = ({ source }: Page): string => {
    const text = sources.pages.get(source) ?? ''
    return turnMarkdown(source, text, places).replaceAll(/^<!--.*?-->\n+/gs, '')
  }
  const pages = new Map<string, string | Buffer>()
  for (const page of all) {
    const html = page === home ? homeOf(frame, page) : articleOf(frame, page)
    pages.set(`${page.address || 'index'}.html`, html)
    pages.set(twinOf(page.address).slice(base.length + 1), textOf(page))
  }
  for (const [path, bytes] of sources.files) pages.set(addressOf(path), bytes)
  pages.set('404.html', missingOf(frame))
  pages.set('llms.txt', llmsIndexOf(tree, home))
  pages.set('llms-full.txt', llmsFullOf(tree, home, textOf))
  return { pages, assets: new Map([searchIndex, picture].map(({ name, text }) => [name, text])), tree }
}

function hashed(name: string, ending: string, text: string) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10)
  const file = `${name}-${hash}.${ending}`
  return { name: file, text, address: `${base}/assets/${file}` }
}

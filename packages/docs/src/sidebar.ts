/** What stands at the side of every page: all sections, and the pages of a group while one of them is open. */
import { pathOf } from './address.ts'
import { escaped } from './escape.ts'
import { type Branch, type Page, pagesOf, type Tree } from './tree.ts'

export function sidebar({ places }: Tree, here: string | null): string {
  return places
    .map(({ title, entries }, index) => {
      const items = entries.map((entry) =>
        'source' in entry ? `<li>${link(entry, labelOf(entry), here)}</li>` : group(entry, here),
      )
      return `<p id="section-${index}">${escaped(title)}</p>\n<ul aria-labelledby="section-${index}">${items.join('')}</ul>`
    })
    .join('\n')
}

function group(branch: Branch, here: string | null): string {
  const first = branch.index ?? branch.pages[0]
  if (first === undefined) return ''
  const isOpen = pagesOf(branch).some(({ address }) => address === here)
  const pages = isOpen
    ? `<ul>${branch.pages.map((page) => `<li>${link(page, labelOf(page), here)}</li>`).join('')}</ul>`
    : ''
  // Without an index its first page stands for it, and is marked below.
  const head =
    branch.index === null
      ? `<a href="${pathOf(first.address)}">${escaped(branch.title)}</a>`
      : link(first, escaped(branch.title), here)
  return `<li class="group">${head}${pages}</li>`
}

function link({ address }: Page, label: string, here: string | null): string {
  const current = address === here ? ' aria-current="page"' : ''
  return `<a href="${pathOf(address)}"${current}>${label}</a>`
}

/** A page that is known by a code is listed by it: the rest of its title would not fit. */
function labelOf({ titleHtml }: Page): string {
  const code = /^<code>.*?<\/code>/.exec(titleHtml)?.[0]
  // A long code is broken between its words.
  return code?.replaceAll(/(?<=\w)(?=[._])/g, '<wbr>') ?? titleHtml.replaceAll(/<\/?a\b[^>]*>/g, '')
}

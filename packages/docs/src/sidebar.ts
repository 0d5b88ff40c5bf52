/** The sidebar: all sections, and the pages of a group while one of them is open. */
import { pathOf } from './address.ts'
import { escapeHtml } from './escape.ts'
import { type Branch, type Page, pagesOf, type Tree } from './tree.ts'

export function sidebar({ sections }: Tree, currentAddress: string | null): string {
  return sections
    .map(({ title, entries }, index) => {
      const items = entries.map((entry) =>
        'source' in entry
          ? `<li>${link(entry, labelOf(entry), currentAddress)}</li>`
          : group(entry, currentAddress),
      )
      return `<p id="section-${index}">${escapeHtml(title)}</p>\n<ul aria-labelledby="section-${index}">${items.join('')}</ul>`
    })
    .join('\n')
}

function group(branch: Branch, currentAddress: string | null): string {
  const first = branch.index ?? branch.pages[0]
  if (first === undefined) return ''
  const isOpen = pagesOf(branch).some(({ address }) => address === currentAddress)
  const pages = isOpen
    ? `<ul>${branch.pages.map((page) => `${headingOf(branch, page)}<li>${link(page, labelOf(page), currentAddress)}</li>`).join('')}</ul>`
    : ''
  // Without an index page the group links to its first page, which is marked as current below.
  const head =
    branch.index === null
      ? `<a href="${pathOf(first.address)}">${escapeHtml(branch.title)}</a>`
      : link(first, escapeHtml(branch.title), currentAddress)
  return `<li class="group">${head}${pages}</li>`
}

function headingOf({ headings }: Branch, page: Page): string {
  const title = headings.get(page)
  return title === undefined ? '' : `<li class="heading">${escapeHtml(title)}</li>`
}

function link({ address }: Page, label: string, currentAddress: string | null): string {
  const current = address === currentAddress ? ' aria-current="page"' : ''
  return `<a href="${pathOf(address)}"${current}>${label}</a>`
}

/**
 * Pages about an API code, such as an error, are listed by the code, because the full title would not fit.
 */
function labelOf({ titleHtml }: Page): string {
  const code = /^<code>.*?<\/code>/.exec(titleHtml)?.[0]
  // A long API code can break between its words.
  return code?.replaceAll(/(?<=\w)(?=[._])/g, '<wbr>') ?? titleHtml.replaceAll(/<\/?a\b[^>]*>/g, '')
}

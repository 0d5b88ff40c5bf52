/** The site for language models: an index of all pages (llms.txt), and all pages in one file (llms-full.txt). */
import { markdownUrlOf } from './address.ts'
import { type Page, pagesOf, type Tree } from './tree.ts'

export function llmsIndexOf({ sections }: Tree, home: Page): string {
  const texts = sections.map(({ title, entries }) => {
    const lines = entries.flatMap(pagesOf).map((page) => `- ${linkTo(page)}: ${page.description}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Switchyard\n\n> ${home.description}\n\nEvery page is available as Markdown: add \`.md\` to its URL. All pages in one file: [llms-full.txt](/docs/llms-full.txt). The OpenAPI document: [openapi.json](/openapi.json).\n\n${texts.join('\n')}`
}

/** `textOf` returns the Markdown of a page. */
export function llmsFullOf({ sections }: Tree, home: Page, textOf: (page: Page) => string): string {
  const pages = [home, ...sections.flatMap(({ entries }) => entries.flatMap(pagesOf))]
  return pages.map((page) => `<!-- ${markdownUrlOf(page.address)} -->\n\n${textOf(page).trim()}\n`).join('\n')
}

function linkTo({ title, address }: Page): string {
  return `[${title}](${markdownUrlOf(address)})`
}

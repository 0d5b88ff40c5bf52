/** The site for programs that read: an index of all pages in the form of llms.txt, and all of them as one text. */
import { twinOf } from './address.ts'
import { type Page, pagesOf, type Tree } from './tree.ts'

export function llmsIndexOf({ places }: Tree, home: Page): string {
  const sections = places.map(({ title, entries }) => {
    const lines = entries.flatMap(pagesOf).map((page) => `- ${linkTo(page)}: ${page.description}`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  return `# Switchyard\n\n> ${home.description}\n\nEvery page is Markdown at its address with \`.md\`. All of them as one text: [llms-full.txt](/docs/llms-full.txt). The API as a document: [openapi.json](/openapi.json).\n\n${sections.join('\n')}`
}

/** `textOf` gives the Markdown of a page. */
export function llmsFullOf({ places }: Tree, home: Page, textOf: (page: Page) => string): string {
  const pages = [home, ...places.flatMap(({ entries }) => entries.flatMap(pagesOf))]
  return pages.map((page) => `<!-- ${twinOf(page.address)} -->\n\n${textOf(page).trim()}\n`).join('\n')
}

function linkTo({ title, address }: Page): string {
  return `[${title}](${twinOf(address)})`
}

// Rendering of a Markdown file to a page. The same text is also read on GitHub.

import { expect, test } from 'vitest'
import { addressOf, markdownUrlOf } from '../src/address.ts'
import { highlight } from '../src/highlight.ts'
import { rewriteMarkdownLinks } from '../src/links.ts'
import { createRenderer } from '../src/markdown.ts'
import { namesIn } from '../src/names.ts'

const image = Buffer.from('<svg viewBox="0 0 640 360"></svg>')
const linkTargets = {
  pages: new Set(['README.md', 'docs/README.md', 'docs/guides/lists.md', 'docs/reference/errors/README.md']),
  files: new Set(['docs/guides/line.svg', 'docs/provider.yaml']),
}
const names = namesIn(
  new Map([
    ['docs/reference/errors/not_found.md', ''],
    ['docs/reference/errors/conflict.md', ''],
    ['docs/reference/events/payment.created.md', ''],
    [
      'docs/reference/api/payments.md',
      '## Create a payment\n\n`POST /payments`. In logs: `payments.create`.\n',
    ],
  ]),
)
const render = createRenderer({ ...linkTargets, bytesOf: () => image }, names)
const htmlOf = (text: string) => render('docs/guides/lists.md', `# Lists\n\n${text}`).parts.join('')

test.each([
  ['docs/README.md', '', '/docs/index.md'],
  ['README.md', 'readme', '/docs/readme.md'],
  ['docs/guides/lists.md', 'guides/lists', '/docs/guides/lists.md'],
  ['docs/reference/errors/conflict.md', 'errors/conflict', '/docs/errors/conflict.md'],
  ['docs/reference/errors/README.md', 'errors', '/docs/errors.md'],
  ['docs/reference/events/payment.created.md', 'events/payment.created', '/docs/events/payment.created.md'],
  ['docs/reference/api/payments.md', 'api/payments', '/docs/api/payments.md'],
  ['docs/reference/states.md', 'reference/states', '/docs/reference/states.md'],
  ['docs/operations/runbooks/behind.md', 'operations/runbooks/behind', '/docs/operations/runbooks/behind.md'],
])('the page of %s has the address %s', (source, address, markdownUrl) => {
  expect([addressOf(source), markdownUrlOf(addressOf(source))]).toEqual([address, markdownUrl])
})

test.each([
  ['[x](../reference/errors/README.md)', '<a href="/docs/errors">x</a>', '[x](/docs/errors.md)'],
  ['[x](../reference/errors)', '<a href="/docs/errors">x</a>', '[x](/docs/errors.md)'],
  ['[x](../../README.md#a-b)', '<a href="/docs/readme#a-b">x</a>', '[x](/docs/readme.md#a-b)'],
  ['[x](#lists)', '<a href="/docs/guides/lists#lists">x</a>', '[x](/docs/guides/lists.md#lists)'],
  ['[x](../provider.yaml)', '<a href="/docs/provider.yaml">x</a>', '[x](/docs/provider.yaml)'],
  ['[x](../../openapi.json)', '<a href="/openapi.json">x</a>', '[x](/openapi.json)'],
  ['[x](https://a.example)', '<a href="https://a.example" rel="noreferrer">x</a>', '[x](https://a.example)'],
  ['[the guard](../../a/b.ts)', 'the guard (<code>a/b.ts</code>)', 'the guard (`a/b.ts`)'],
  ['[`b.ts`](../../a/b.ts)', '<code>a/b.ts</code>', '`a/b.ts`'],
  ['`[x](lists.md)`', '<code>[x](lists.md)</code>', '`[x](lists.md)`'],
])('the link %s is rewritten in HTML and in Markdown', (markdown, html, rewrittenMarkdown) => {
  expect(htmlOf(markdown).trim()).toBe(`<p>${html}</p>`)
  expect(rewriteMarkdownLinks('docs/guides/lists.md', markdown, linkTargets)).toBe(rewrittenMarkdown)
})

test('an image links to itself', () => {
  expect(htmlOf('![A line](line.svg)')).toContain('<a class="picture" href="/docs/guides/line.svg"><img ')
})

test('code in a table only breaks between words, inline code never', () => {
  const table = htmlOf('| `requires_action` | b |\n|---|---|\n| `requires_action` | `GET /payments/{id}` |')

  expect(table).toContain('<td><code>requires_<wbr>action</code></td>')
  expect(table).toContain('<td><code class="phrase">GET /payments/<wbr>{id}</code></td>')
  expect(table).toContain('<th><code>requires_action</code></th>')
  expect(htmlOf('`requires_action`')).toContain('<code>requires_action</code>')
})

test('an image has its size, and a missing image fails the build', () => {
  expect(htmlOf('![A line](line.svg)')).toContain(
    '<img src="/docs/guides/line.svg" alt="A line" loading="lazy" width="640" height="360">',
  )
  expect(() => htmlOf('![A line](nowhere.svg)')).toThrow('contains an image that does not exist: nowhere.svg')
})

test('headings have the same anchors as on GitHub, even when a name occurs twice', () => {
  const { headings } = render('README.md', '# One\n## `two`: three!\n## Again\n### Again\n')

  expect(headings.map(({ level, id }) => [level, id])).toEqual([
    [2, 'two-three'],
    [2, 'again'],
    [3, 'again-1'],
  ])
})

test('no heading uses an id of the page layout', () => {
  const { headings } = render(
    'README.md',
    '# One\n## Content\n## Navigation\n## Section 3\n## Hit 1\n## Hits\n',
  )

  expect(headings.map(({ id }) => id)).toEqual([
    'content-1',
    'navigation-1',
    'section-3-1',
    'hit-1-1',
    'hits-1',
  ])
})

test('title and description are the first heading and paragraph; comments are removed', () => {
  const page = render(
    'README.md',
    '<!-- Generated. -->\n\n# `conflict`: Too *many*\n\nStatus `409`,\nreally.\n',
  )

  expect(page).toMatchObject({
    title: 'conflict: Too many',
    titleHtml: '<code>conflict</code>: Too <em>many</em>',
    description: 'Status 409, really.',
  })
  expect(page.passages[0]?.names).toEqual(['conflict'])
  expect(page.parts.join('')).not.toContain('Generated')
})

test('a page without a heading fails the build', () => {
  expect(() => render('README.md', 'Words.')).toThrow('README.md has no heading.')
})

test('HTML in a file is escaped', () => {
  expect(htmlOf('<script>alert(1)</script>\n\nA <b>word</b>.')).toBe(
    '&lt;script&gt;alert(1)&lt;/script&gt;\n<p>A &lt;b&gt;word&lt;/b&gt;.</p>\n',
  )
})

test('a column without a title has no header, and columns are aligned without a style', () => {
  expect(htmlOf('||b|\n|-|-|\n|1|2|\n')).toContain('<tr>\n<td></td>\n<th>b</th>\n</tr>')
  expect(htmlOf('|a|b|\n|-|-:|\n|1|2|\n')).toContain('<td>1</td>\n<td class="to-right">2</td>')
})

test('code is highlighted with classes, and unknown languages are not highlighted', () => {
  expect(highlight('{"a": 1}', 'json')).toBe(
    '{<span class="hl-key">&quot;a&quot;</span>: <span class="hl-constant">1</span>}',
  )
  expect(highlight('a <b>', 'mermaid')).toBe('a &lt;b&gt;')
})

test('a code of the API links to its page, except on that page or if it could be an ordinary word', () => {
  const html = htmlOf('`payments.create`, `not_found`, `payment.created`, `conflict`, [`not_found`](#lists)')

  expect(html).toBe(
    '<p><a href="/docs/api/payments#create-a-payment"><code>payments.create</code></a>, ' +
      '<a href="/docs/errors/not_found"><code>not_found</code></a>, ' +
      '<a href="/docs/events/payment.created"><code>payment.created</code></a>, <code>conflict</code>, ' +
      '<a href="/docs/guides/lists#lists"><code>not_found</code></a></p>\n',
  )
  expect(render('docs/reference/errors/not_found.md', '# A\n\n`not_found`').parts.join('')).toBe(
    '<p><code>not_found</code></p>\n',
  )
})

test('the names of a passage are the codes in its heading and at the start of its first line', () => {
  const text = [
    '# Payments\n\n## Create\n\n`payments.create` makes one of `x.y`.\n',
    '## Get\n\n`GET /payments/{id}`. In logs: `payments.get`.\n',
  ].join('\n')
  const { passages } = render('README.md', text)

  expect(passages.map(({ heading, anchor, names }) => ({ heading, anchor, names }))).toEqual([
    { heading: '', anchor: '', names: [] },
    { heading: 'Create', anchor: 'create', names: ['payments.create'] },
    { heading: 'Get', anchor: 'get', names: ['payments.get'] },
  ])
})

// From a file to its page: one text serves the site and whoever browses the repository.

import { expect, test } from 'vitest'
import { addressOf, twinOf } from '../src/address.ts'
import { highlight } from '../src/highlight.ts'
import { turnMarkdown } from '../src/links.ts'
import { createRenderer } from '../src/markdown.ts'
import { namesIn } from '../src/names.ts'

const picture = Buffer.from('<svg viewBox="0 0 640 360"></svg>')
const places = {
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
      '## Create a payment\n\n`POST /payments`, in logs `payments.create`\n',
    ],
  ]),
)
const render = createRenderer({ ...places, bytesOf: () => picture }, names)
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
])('%s is at %s', (source, address, twin) => {
  expect([addressOf(source), twinOf(addressOf(source))]).toEqual([address, twin])
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
])('%s leads there on the site and in its twin', (markdown, html, twin) => {
  expect(htmlOf(markdown).trim()).toBe(`<p>${html}</p>`)
  expect(turnMarkdown('docs/guides/lists.md', markdown, places)).toBe(twin)
})

test('a picture leads to itself', () => {
  expect(htmlOf('![A line](line.svg)')).toContain('<a class="picture" href="/docs/guides/line.svg"><img ')
})

test('a code in a table is broken between its words alone, one in a line not at all', () => {
  const table = htmlOf('| `requires_action` | b |\n|---|---|\n| `requires_action` | `GET /payments/{id}` |')

  expect(table).toContain('<td><code>requires_<wbr>action</code></td>')
  expect(table).toContain('<td><code class="phrase">GET /payments/<wbr>{id}</code></td>')
  expect(table).toContain('<th><code>requires_action</code></th>')
  expect(htmlOf('`requires_action`')).toContain('<code>requires_action</code>')
})

test('a picture keeps its place, and one that is not there stops the build', () => {
  expect(htmlOf('![A line](line.svg)')).toContain(
    '<img src="/docs/guides/line.svg" alt="A line" loading="lazy" width="640" height="360">',
  )
  expect(() => htmlOf('![A line](nowhere.svg)')).toThrow('shows a picture that is not there: nowhere.svg')
})

test('headings have the anchors that GitHub gives them, the second of a name too', () => {
  const { headings } = render('README.md', '# One\n## `two`: three!\n## Again\n### Again\n')

  expect(headings.map(({ level, id }) => [level, id])).toEqual([
    [2, 'two-three'],
    [2, 'again'],
    [3, 'again-1'],
  ])
})

test('no heading takes a name that the frame of the page has', () => {
  const { headings } = render(
    'README.md',
    '# One\n## Content\n## Navigation\n## Section 3\n## Hit 1\n## Hits\n',
  )

  expect(headings.map(({ id }) => id)).toEqual([
    ...['content-1', 'navigation-1', 'section-3-1', 'hit-1-1', 'hits-1'],
  ])
})

test('a page is known by its first heading and its first paragraph; comments are for the file alone', () => {
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

test('a page without a heading stops the build', () => {
  expect(() => render('README.md', 'Words.')).toThrow('README.md has no heading to be known by.')
})

test('HTML of a file is shown, not obeyed', () => {
  expect(htmlOf('<script>alert(1)</script>\n\nA <b>word</b>.')).toBe(
    '&lt;script&gt;alert(1)&lt;/script&gt;\n<p>A &lt;b&gt;word&lt;/b&gt;.</p>\n',
  )
})

test('a column without a title has no header, and columns are aligned without a style', () => {
  expect(htmlOf('||b|\n|-|-|\n|1|2|\n')).toContain('<tr>\n<td></td>\n<th>b</th>\n</tr>')
  expect(htmlOf('|a|b|\n|-|-:|\n|1|2|\n')).toContain('<td>1</td>\n<td class="to-right">2</td>')
})

test('code is coloured by classes, and what is in no known language stays as it is', () => {
  expect(highlight('{"a": 1}', 'json')).toBe(
    '{<span class="hl-key">&quot;a&quot;</span>: <span class="hl-constant">1</span>}',
  )
  expect(highlight('a <b>', 'mermaid')).toBe('a &lt;b&gt;')
})

test('a code of the API leads to its page, but not where it is one, nor where it may be a word', () => {
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

test('a passage is known by the codes of its heading, and by the one that its first line is about', () => {
  const text = [
    '# Payments\n\n## Create\n\n`payments.create` makes one of `x.y`.\n',
    '## Get\n\n`GET /payments/{id}`, in logs `payments.get`\n',
  ].join('\n')
  const { passages } = render('README.md', text)

  expect(passages.map(({ heading, anchor, names }) => ({ heading, anchor, names }))).toEqual([
    { heading: '', anchor: '', names: [] },
    { heading: 'Create', anchor: 'create', names: ['payments.create'] },
    { heading: 'Get', anchor: 'get', names: ['payments.get'] },
  ])
})

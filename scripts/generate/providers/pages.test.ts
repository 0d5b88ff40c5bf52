// The pages of the connectors are current, and contain what a merchant needs.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConnectors } from './documented-connector.ts'
import { renderProviderPages } from './pages.ts'

const folder = resolve(import.meta.dirname, '../../../docs/providers')
const connectors = await loadConnectors()
const pages = renderProviderPages(connectors)
const index = pages.get('README.md') ?? ''

test('docs/providers has exactly the generated pages', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted())
  for (const [path, text] of pages)
    expect(readFileSync(`${folder}/${path}`, 'utf8'), `${path}: run \`npm run generate\``).toBe(text)
})

describe.each(connectors)('the page of $id', ({ folder: name, setup, page, webhooks }) => {
  const text = pages.get(`${name}.md`) ?? ''

  test('has every credential, setting, event and decline code', () => {
    const fields = [...setup.credentials, ...setup.settings].map((field) => field.name)
    const theirs = page.declines.flatMap(({ codes, inconclusive = [] }) => [
      ...codes.map(([code]) => code),
      ...inconclusive,
    ])
    const expected = [...fields, ...setup.webhookEvents, ...theirs]

    expect(expected.filter((code) => !text.includes(`\`${code}\``))).toEqual([])
  })

  test('states how the connector was tested, what is missing, and the sources', () => {
    const items = [...page.notSupported, ...page.unverified].map((item) => `\n- ${item}\n`)
    const sources = page.sources.map(({ title, date }) => `| ${title} | ${date} |`)

    expect(text).toContain('**Tested offline.**')
    expect([...items, ...sources].filter((line) => !text.includes(line))).toEqual([])
    expect(items.length).toBeGreaterThan(2)
  })

  test('states how its webhook is verified', () => {
    expect(text).toMatch(
      webhooks?.signature === 'none' ? /Signature \| not signed/ : /Signature \| signed: body/,
    )
  })

  test('is linked from the comparison', () => {
    expect(index).toContain(`[${setup.name}](${name}.md)`)
  })
})

test('the table of the index has a cell for each connector in every row', () => {
  const [comparison = ''] = index.split('## Lost responses')
  const rows = comparison.split('\n').filter((line) => line.startsWith('| '))

  expect(rows.length).toBeGreaterThan(15)
  expect(new Set(rows.map((row) => row.split(' | ').length))).toEqual(new Set([connectors.length + 1]))
})

test('the page of a connector that was tested against the sandbox states the date', () => {
  const [first] = connectors
  if (first === undefined) throw new Error('There are no connectors.')
  const tested = { ...first, page: { ...first.page, sandboxTestedOn: '2026-12-01' } }

  expect(renderProviderPages([tested]).get(`${first.folder}.md`)).toContain(
    '**Tested against the sandbox on 2026-12-01.**',
  )
})

test('no lost response caused a double charge or a lost outcome, and the pages state that emulators were measured', () => {
  const measured = connectors.filter(({ lostResponses }) => lostResponses !== null)

  expect(measured.length).toBeGreaterThan(0)
  expect(index).toContain('measured against emulators, and not against the providers')
  for (const { folder: name, lostResponses } of measured) {
    expect(pages.get(`${name}.md`)).toContain('against the emulator of')
    for (const call of lostResponses?.calls ?? []) expect(call).toMatchObject({ double_charge: 0, lost: 0 })
  }
})

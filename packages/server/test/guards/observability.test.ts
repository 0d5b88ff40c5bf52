// Alerts, dashboards and runbooks match the code and each other: every metric that an alert uses and every
// page that it links to exists.

import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Deps } from '../../src/deps.ts'
import { operationsOf } from '../../src/operations.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { newDatabase } from '../support/database.ts'
import { findUnknownSeries, knownSeries, readRules } from './support/known-metrics.ts'
import { fencesOf } from './support/markdown.ts'
import { readExpression } from './support/promql.ts'
import { root } from './support/repository.ts'

const exported = await knownSeries()
const alerts = readRules('alerts.yaml')
const runbooks = join(root, 'docs/operations/runbooks')
const pages = readdirSync(runbooks).filter((name) => name !== 'README.md')
const readRunbook = (page: string) => readFileSync(join(runbooks, page), 'utf8')

test.each([...alerts, ...readRules('recording.yaml')])(
  'the rule $alert$record uses only metrics that the server exports',
  ({ expr }) => {
    expect(findUnknownSeries(expr, exported)).toEqual([])
  },
)

test('an unknown metric, an unknown label and a syntax error are detected', () => {
  expect(
    findUnknownSeries('sum by (worker) (switchyard_work_due{wrok="a"}) > switchyard_nothing', exported),
  ).toEqual(['switchyard_work_due{wrok}', 'switchyard_nothing', 'by (worker)'])
  expect(() => readExpression('sum(rate(switchyard_work_due[5m])')).toThrow('not PromQL')
})

test('every operation that the latency rule excludes exists', () => {
  const latency = readRules('recording.yaml').find(({ record = '' }) => record.includes('p99'))
  const pattern = /operation!~"([^"]+)"/.exec(latency?.expr ?? '')?.[1] ?? ''
  const ids = operationsOf({} as Deps).map(({ id }) => id)
  // Prometheus compares whole values.
  const excluded = ids.filter((id) => new RegExp(`^(?:${pattern})$`).test(id))
  const named = pattern.split(/\|(?![^(]*\))/).flatMap((part) => {
    const [, noun = part, verbs = ''] = /^([a-z_]+)\[\.\]\(?([a-z_|]+)\)?$/.exec(part) ?? []
    return verbs === '' ? [noun] : verbs.split('|').map((verb) => `${noun}.${verb}`)
  })

  expect(named.filter((name) => name !== 'none').toSorted()).toEqual(excluded.toSorted())
  for (const operation of ['payments.create', 'refunds.create', 'public_checkout_sessions.confirm'])
    expect(excluded).toContain(operation)
  expect(excluded).not.toContain('payments.list')
})

test.each(alerts)('$alert has a severity, a summary, a description and a runbook', (rule) => {
  const { labels, annotations } = rule

  expect(rule.alert).toMatch(/^Switchyard[A-Z][A-Za-z]+$/)
  expect(['critical', 'warning']).toContain(labels?.severity)
  expect(annotations?.summary).toMatch(/^[A-Z].{10,80}$/)
  expect(annotations?.description).toMatch(/^.{30,}\.$/)
  expect(annotations?.runbook).toBe(`docs/operations/runbooks/${runbookOf(rule.alert)}`)
})

test('every alert has a runbook, a row in the table and a test, and every runbook has an alert', () => {
  const names = alerts.map(({ alert }) => runbookOf(alert)).toSorted()
  const table = readFileSync(join(root, 'docs/operations/alerts.md'), 'utf8')
  const { tests } = parse(readFileSync(join(root, 'deploy/prometheus/alerts.test.yaml'), 'utf8'))
  const tested = tests.map(({ name }: { name: string }) => name.split(':')[0])

  expect(pages.toSorted()).toEqual(names)
  for (const { alert = '', labels } of alerts) {
    expect(table).toContain(`| [\`${alert}\`](runbooks/${runbookOf(alert)}) | ${labels?.severity} |`)
    expect(tested).toContain(alert)
  }
})

const sections = [
  'What it means',
  'First checks',
  'Likely causes',
  'What to do',
  'What not to do',
  'Resolved when',
]

test.each(pages)('%s has all sections, and its commands exist', (page) => {
  const text = readRunbook(page)

  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(sections)
  expect(unknownCommands(text)).toEqual([])
})

test('an unknown command is detected', () => {
  const text =
    'npm run server -- parked\nnpm run server -- mend\nnpx switchyard paymnets list\ncurl -s http://a/readyz'

  expect(unknownCommands(text)).toEqual(['npm run server -- mend', 'npx switchyard paymnets list'])
})

test('every statement of a runbook runs with a role that can read only statuses and timestamps', async () => {
  const url = await newDatabase()
  const statements = pages.flatMap((page) =>
    fencesOf(readRunbook(page))
      .filter(({ info }) => info === 'sql')
      .map(({ text }) => ({ page, text })),
  )
  const failed: string[] = []

  await asOwner(url, async (client) => {
    for (const { page, text } of statements) {
      // Queries of pg_ tables and schema_migrations run as the owner. All others run with the role that the
      // statement sets.
      const isAboutServer = /pg_|schema_migrations/.test(text)
      if (!isAboutServer && !text.startsWith('begin read only;\nset local role switchyard_due;\n'))
        failed.push(`${page}: it does not set the role`)
      await client.query(text).catch((error) => failed.push(`${page}: ${error.message}`))
      await client.query('rollback')
    }
  })

  expect(statements.length).toBeGreaterThan(5)
  expect(failed).toEqual([])
})

type Panel = {
  title: string
  type: string
  gridPos: GridPosition
  targets?: { expr: string }[]
  description?: string
}
type GridPosition = { x: number; y: number; w: number; h: number }

const boards = readdirSync(join(root, 'deploy/grafana')).map((name) => {
  const board = JSON.parse(readFileSync(join(root, 'deploy/grafana', name), 'utf8'))
  return { name, title: board.title as string, panels: board.panels as Panel[] }
})

test.each(boards)(
  '$title uses only metrics that the server exports, and links to existing runbooks',
  ({ panels }) => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const named = panels.flatMap(({ description = '' }) =>
      [...description.matchAll(/runbooks\/([a-z-]+\.md)/g)].map(([, page]) => page as string),
    )

    expect(expressions.length).toBeGreaterThan(5)
    expect(expressions.flatMap((expr) => findUnknownSeries(expr, exported))).toEqual([])
    expect(named.filter((page) => !pages.includes(page))).toEqual([])
  },
)

test.each(boards)('no panel of $title overlaps another', ({ panels }) => {
  const overlapping = panels.flatMap((panel, index) =>
    panels.slice(index + 1).filter((other) => overlap(panel.gridPos, other.gridPos)),
  )

  expect(overlapping).toEqual([])
  expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([])
})

const hasPromtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
)

test.runIf(hasPromtool)(
  'promtool accepts the rules, and the tests of the rules pass',
  { timeout: 180_000 },
  () => {
    const run = (...args: string[]) =>
      execFileSync('promtool', args, { cwd: join(root, 'deploy/prometheus') })

    expect(run('check', 'rules', 'alerts.yaml', 'recording.yaml').toString()).toContain('SUCCESS')
    expect(run('test', 'rules', 'alerts.test.yaml').toString()).toContain('SUCCESS')
  },
)

/** SwitchyardWorkParked -> work-parked.md */
function runbookOf(alert = ''): string {
  const words = alert.replace(/^Switchyard/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
  return `${words.toLowerCase()}.md`
}

function overlap(a: GridPosition, b: GridPosition): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/** Lines that call a command of the server or of the CLI, if that command does not exist. */
function unknownCommands(text: string): readonly string[] {
  const usage = readFileSync(join(root, 'packages/server/src/main.ts'), 'utf8')
  const reference = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8')
  return text.split('\n').filter((line) => {
    const server = /npm run server -- ([a-z-]+)/.exec(line)?.[1]
    const cli = /npx switchyard ((?:[a-z-]+ ?){1,2})/.exec(line)?.[1]?.trim()
    if (server !== undefined) return !new RegExp(`^  ${server} `, 'm').test(usage)
    if (cli === undefined) return false
    const [noun = '', verb = ''] = cli.split(' ')
    return ![
      `\`switchyard ${noun} ${verb}\``,
      `\`switchyard ${noun} ${verb} `,
      `## \`switchyard ${noun}\``,
    ].some((heading) => reference.includes(heading))
  })
}

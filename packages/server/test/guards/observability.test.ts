// Alerts, dashboards and runbooks agree with the code and with each other: nobody is woken by a figure that does not
// exist, or sent to a page that is not there.

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
import { knownSeries, rulesOf, strangersIn } from './support/known-figures.ts'
import { fencesOf } from './support/markdown.ts'
import { readExpression } from './support/promql.ts'
import { root } from './support/repository.ts'

const known = await knownSeries()
const alerts = rulesOf('alerts.yaml')
const runbooks = join(root, 'docs/operations/runbooks')
const pages = readdirSync(runbooks).filter((name) => name !== 'README.md')
const textOf = (page: string) => readFileSync(join(runbooks, page), 'utf8')

test.each([...alerts, ...rulesOf('recording.yaml')])(
  'the rule $alert$record asks for what the server exports',
  ({ expr }) => {
    expect(strangersIn(expr, known)).toEqual([])
  },
)

test('a figure or a label that nobody exports would be noticed, and so would a typing error', () => {
  expect(strangersIn('sum by (worker) (switchyard_work_due{wrok="a"}) > switchyard_nothing', known)).toEqual([
    'switchyard_work_due{wrok}',
    'switchyard_nothing',
    'by (worker)',
  ])
  expect(() => readExpression('sum(rate(switchyard_work_due[5m])')).toThrow('no PromQL')
})

test('every operation that the latency leaves out exists, and is left out', () => {
  const latency = rulesOf('recording.yaml').find(({ record = '' }) => record.includes('p99'))
  const pattern = /operation!~"([^"]+)"/.exec(latency?.expr ?? '')?.[1] ?? ''
  const ids = operationsOf({} as Deps).map(({ id }) => id)
  // Prometheus compares whole values.
  const leftOut = ids.filter((id) => new RegExp(`^(?:${pattern})$`).test(id))
  const named = pattern.split(/\|(?![^(]*\))/).flatMap((part) => {
    const [, noun = part, verbs = ''] = /^([a-z_]+)\[\.\]\(?([a-z_|]+)\)?$/.exec(part) ?? []
    return verbs === '' ? [noun] : verbs.split('|').map((verb) => `${noun}.${verb}`)
  })

  expect(named.filter((name) => name !== 'none').toSorted()).toEqual(leftOut.toSorted())
  for (const waiting of ['payments.create', 'refunds.create', 'public_checkout_sessions.confirm'])
    expect(leftOut).toContain(waiting)
  expect(leftOut).not.toContain('payments.list')
})

test.each(alerts)('$alert says how urgent it is, what happened, and what to do', (rule) => {
  const { labels, annotations } = rule

  expect(rule.alert).toMatch(/^Switchyard[A-Z][A-Za-z]+$/)
  expect(['critical', 'warning']).toContain(labels?.severity)
  expect(annotations?.summary).toMatch(/^[A-Z].{10,80}$/)
  expect(annotations?.description).toMatch(/^.{30,}\.$/)
  expect(annotations?.runbook).toBe(`docs/operations/runbooks/${pageOf(rule.alert)}`)
})

test('every alert has one runbook, and every runbook an alert, a row in the table and a test', () => {
  const names = alerts.map(({ alert }) => pageOf(alert)).toSorted()
  const table = readFileSync(join(root, 'docs/operations/alerts.md'), 'utf8')
  const { tests } = parse(readFileSync(join(root, 'deploy/prometheus/alerts.test.yaml'), 'utf8'))
  const tested = tests.map(({ name }: { name: string }) => name.split(':')[0])

  expect(pages.toSorted()).toEqual(names)
  for (const { alert = '', labels } of alerts) {
    expect(table).toContain(`| [\`${alert}\`](runbooks/${pageOf(alert)}) | ${labels?.severity} |`)
    expect(tested).toContain(alert)
  }
})

const sections = [
  'What it means',
  'First look',
  'Likely causes',
  'What to do',
  'What not to do',
  'It is over when',
]

test.each(pages)('%s has every section, and its commands exist', (page) => {
  const text = textOf(page)

  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(sections)
  expect(unknownCommands(text)).toEqual([])
})

test('a command that does not exist would be noticed', () => {
  const text =
    'npm run server -- parked\nnpm run server -- mend\nnpx switchyard paymnets list\ncurl -s http://a/readyz'

  expect(unknownCommands(text)).toEqual(['npm run server -- mend', 'npx switchyard paymnets list'])
})

test('every statement of a runbook can be run, by whoever may look at states and times alone', async () => {
  const url = await newDatabase()
  const statements = pages.flatMap((page) =>
    fencesOf(textOf(page))
      .filter(({ info }) => info === 'sql')
      .map(({ text }) => ({ page, text })),
  )
  const failed: string[] = []

  await asOwner(url, async (client) => {
    for (const { page, text } of statements) {
      // Figures of the server itself are for the owner. All else is asked by the role that the statement takes.
      const isOfServer = /pg_|schema_migrations/.test(text)
      if (!isOfServer && !text.startsWith('begin read only;\nset local role switchyard_due;\n'))
        failed.push(`${page}: it does not say as whom`)
      await client.query(text).catch((error) => failed.push(`${page}: ${error.message}`))
      await client.query('rollback')
    }
  })

  expect(statements.length).toBeGreaterThan(5)
  expect(failed).toEqual([])
})

type Drawn = {
  title: string
  type: string
  gridPos: Square
  targets?: { expr: string }[]
  description?: string
}
type Square = { x: number; y: number; w: number; h: number }

const boards = readdirSync(join(root, 'deploy/grafana')).map((name) => {
  const board = JSON.parse(readFileSync(join(root, 'deploy/grafana', name), 'utf8'))
  return { name, title: board.title as string, panels: board.panels as Drawn[] }
})

test.each(boards)(
  '$title asks for what the server exports, and leads to runbooks that exist',
  ({ panels }) => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const named = panels.flatMap(({ description = '' }) =>
      [...description.matchAll(/runbooks\/([a-z-]+\.md)/g)].map(([, page]) => page as string),
    )

    expect(expressions.length).toBeGreaterThan(5)
    expect(expressions.flatMap((expr) => strangersIn(expr, known))).toEqual([])
    expect(named.filter((page) => !pages.includes(page))).toEqual([])
  },
)

test.each(boards)('no panel of $title covers another', ({ panels }) => {
  const covered = panels.flatMap((one, at) =>
    panels.slice(at + 1).filter((other) => overlap(one.gridPos, other.gridPos)),
  )

  expect(covered).toEqual([])
  expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([])
})

const promtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
)

test.runIf(promtool)('promtool accepts the rules, and its tests of them pass', { timeout: 180_000 }, () => {
  const run = (...words: string[]) =>
    execFileSync('promtool', words, { cwd: join(root, 'deploy/prometheus') })

  expect(run('check', 'rules', 'alerts.yaml', 'recording.yaml').toString()).toContain('SUCCESS')
  expect(run('test', 'rules', 'alerts.test.yaml').toString()).toContain('SUCCESS')
})

/** SwitchyardWorkParked -> work-parked.md */
function pageOf(alert = ''): string {
  const words = alert.replace(/^Switchyard/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
  return `${words.toLowerCase()}.md`
}

function overlap(a: Square, b: Square): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/** Lines that call a command of the server or of the command line that there is not. */
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

// `npm run bench:connectors`: how long a connector takes to build a request and to parse a response, for every call and
// response of its conformance kit. CPU only, in one process. Fails if the median of building and parsing a call exceeds
// 50 µs. Responses that a connector cannot read are measured separately: they are rare, and exceptions are slow.

import type { Kit, Reply } from '../packages/server/src/providers/conformance.ts'
import { connectors } from '../packages/server/src/providers/connectors.ts'
import type { ConnectorConfig, Provider } from '../packages/server/src/providers/contract.ts'
import { stepOf } from '../packages/server/src/providers/perform.ts'
import { table } from './table.ts'

/** Many short rounds, so that some are not disturbed by other processes. */
const rounds = 20
const callsPerRound = 100
const goalUs = 50

type Measured = { readonly name: string; readonly us: number }

/** The median time of one call in the faster half of the rounds. Other processes distort the slower half. */
function measure(name: string, run: () => unknown): Measured {
  const durationsUs = Array.from({ length: rounds }, () => {
    const startedNs = process.hrtime.bigint()
    for (let nth = 0; nth < callsPerRound; nth += 1) run()
    return Number(process.hrtime.bigint() - startedNs) / callsPerRound / 1_000
  })
  return { name, us: durationsUs.toSorted((a, b) => a - b)[Math.floor(rounds / 4)] ?? 0 }
}

function measureConnector(provider: Provider, kit: Kit<ConnectorConfig>) {
  const accessToken = provider.accessToken === undefined ? null : 'access-token-1'
  const context = { config: kit.config, now: kit.now, accessToken }
  const built = kit.calls.map(({ name, step, input }) =>
    measure(`${step}: ${name}`, () => stepOf(provider, step).build(input, context)),
  )
  const parse = ({ name, step, input, reply }: Reply) =>
    measure(`${step}: ${name}`, () => parsedOrNull(provider, step, { reply, input }))
  const [readable, unclear] = [
    kit.replies.filter(({ expected }) => expected.is !== 'unknown'),
    kit.replies.filter(({ expected }) => expected.is === 'unknown'),
  ]
  return { build: built, parse: readable.map(parse), 'parse (outcome unknown)': unclear.map(parse) }
}

/** A response that the connector cannot read is an exception, which the core turns into an unknown outcome. */
function parsedOrNull(
  provider: Provider,
  step: Parameters<typeof stepOf>[1],
  { reply, input }: Pick<Reply, 'reply' | 'input'>,
): unknown {
  try {
    return stepOf(provider, step).parse(reply, input)
  } catch {
    return null
  }
}

const rounded = (us: number) => Math.round(us * 10) / 10
const slowestOf = (measured: readonly Measured[]) => measured.toSorted((a, b) => b.us - a.us)[0] as Measured
const medianOf = (measured: readonly Measured[]) =>
  measured.toSorted((a, b) => a.us - b.us)[Math.floor(measured.length / 2)]?.us ?? 0

const rows: (string | number)[][] = []
for (const provider of connectors) {
  const folder = provider.id.replaceAll('_', '-')
  const { kit }: { kit: Kit<ConnectorConfig> } = await import(
    `../packages/server/src/providers/${folder}/fixtures/kit.ts`
  )
  const measured = measureConnector(provider as Provider, kit)
  for (const [kind, results] of Object.entries(measured)) {
    const slowest = slowestOf(results)
    const median = rounded(medianOf(results))
    rows.push([provider.id, kind, results.length, median, rounded(slowest.us), slowest.name])
  }
  const perCallUs = medianOf(measured.build) + medianOf(measured.parse)
  rows.push([provider.id, 'build and parse', '', rounded(perCallUs), '', ''])
  if (perCallUs > goalUs) process.exitCode = 1
}
console.log(table(['connector', '', 'cases', 'median µs', 'slowest µs', 'slowest case'], rows))
console.log(`\nThe median call takes at most ${goalUs} µs: ${process.exitCode === 1 ? 'no' : 'yes'}.`)

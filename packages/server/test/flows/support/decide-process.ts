// Makes routing decisions in a separate process: reads route definitions, payments and accounts from standard
// input, and writes the decisions to standard output.

import { text } from 'node:stream/consumers'
import { type DecisionInput, decide } from '../../../src/domains/routing/payment-routes/engine/choose.ts'
import { compileRoute } from '../../../src/domains/routing/payment-routes/engine/compile.ts'

const cases = JSON.parse(await text(process.stdin)) as {
  definition: Parameters<typeof compileRoute>[1]
  input: Omit<DecisionInput, 'openCircuits' | 'instrument'>
  candidates: Parameters<typeof decide>[2]
}[]
const decisions = cases.map(({ definition, input, candidates }) =>
  decide(
    compileRoute({ id: null, revision: 1 }, definition),
    // JSON cannot represent a Set.
    { ...input, instrument: { hasCardNumber: true, tokensAt: new Set() }, openCircuits: new Set() },
    candidates,
  ),
)
process.stdout.write(JSON.stringify(decisions))

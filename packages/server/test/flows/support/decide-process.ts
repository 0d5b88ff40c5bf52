// Decides in a process of its own: definitions, payments and accounts come in, decisions go out.

import { text } from 'node:stream/consumers'
import { decide, type Question } from '../../../src/domains/payment-routes/choose.ts'
import { compileRoute } from '../../../src/domains/payment-routes/compile.ts'

const cases = JSON.parse(await text(process.stdin)) as {
  definition: Parameters<typeof compileRoute>[1]
  question: Omit<Question, 'open'>
  candidates: Parameters<typeof decide>[2]
}[]
const decisions = cases.map(({ definition, question, candidates }) =>
  decide(compileRoute({ id: null, revision: 1 }, definition), { ...question, open: new Set() }, candidates),
)
process.stdout.write(JSON.stringify(decisions))

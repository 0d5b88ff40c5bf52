// Checks a running provider against the protocol, and lists the requirements it violates.
// PROVIDER_SECRET=psec_... node check.ts http://127.0.0.1:4100
import { createOutbound } from '../../packages/server/src/platform/outbound/client.ts'
import { checkProvider } from '../../packages/server/src/providers/custom/check.ts'

const [baseUrl = 'http://127.0.0.1:4100'] = process.argv.slice(2)
const secret = process.env.PROVIDER_SECRET ?? ''

const sender = createOutbound({ allowCidrs: [], allowLoopback: true })
const { passed, results } = await checkProvider({ sender, baseUrl, secret, mode: 'test' })
await sender.close()

const marks = { met: 'ok     ', violated: 'FAILED ', skipped: '-      ' }
for (const { name, status, detail } of results)
  console.log(marks[status] + name + (detail ? `: ${detail}` : ''))
console.log(passed ? 'Passed.' : 'Failed.')
process.exitCode = passed ? 0 : 1

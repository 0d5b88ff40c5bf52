// npm run test:mails -- [--mails 100000]: sends e-mails through an SMTP server that is killed twice. Fails if an e-mail is
// not received, is received twice without a lost response, or if a stranger receives an e-mail of a test workspace.

import { parseArgs } from 'node:util'
import { startTemporaryPostgres } from '../money/temporary-postgres.ts'
import { deliverMails } from './deliver-mails.ts'

const { values } = parseArgs({ options: { mails: { type: 'string', default: '100000' } } })
const mails = Number(values.mails)
if (!Number.isSafeInteger(mails) || mails < 10) throw new Error('--mails must be an integer of at least 10.')

const temporaryPostgres = await startTemporaryPostgres()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => temporaryPostgres.stop().finally(() => process.exit(130)))
try {
  const { failures, ...report } = await deliverMails(await temporaryPostgres.newDatabase(), mails)
  const perSecond = Math.round(mails / report.seconds)
  console.log(JSON.stringify({ ...report, perSecond, failures: failures.length }))
  for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`)
  if (failures.length > 0) process.exitCode = 1
} finally {
  await temporaryPostgres.stop()
}

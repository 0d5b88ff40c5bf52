// The short version of `npm run test:mails`.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { deliverMails } from './deliver-mails.ts'

test('each e-mail is received although the SMTP server is killed twice, and strangers receive no test e-mails', {
  timeout: 60_000,
}, async () => {
  const report = await deliverMails(await newDatabase(), 300)

  expect(report.failures).toEqual([])
  expect(report).toMatchObject({ mails: 300, strangers: 10, kills: 2 })
  // Killing the server interrupted deliveries.
  expect(report.attempts).toBeGreaterThan(300)
})

// A receipt for everybody who has paid: at the door of the page, and by mail through a real conversation with a
// mail server, which here is a few lines of its own.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { aLink, cards, payerAt } from '../../../test/support/checkout.ts'
import { mailServerForThisFile } from '../../../test/support/mail-server.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const mails = await mailServerForThisFile()
const outbox = mkdtempSync(join(tmpdir(), 'switchyard-mails-'))
afterAll(() => rmSync(outbox, { recursive: true }))

const bySmtp = await switchyardForThisFile({
  environment: {
    SIMULATOR_URL: simulator.url,
    SMTP_URL: mails.url,
    MAIL_FROM: 'Shop <receipts@example.com>',
  },
})
const intoFolder = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, MAIL_OUTBOX: outbox },
})
const without = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function aPaid(
  workspace: Workspace,
  members: object = { email: 'ada@example.com' },
  number: string = cards.good,
) {
  const payer = payerAt(workspace.address)
  const session = await payer.openOne((await aLink(workspace, { description: 'A book' })).slug)
  const { body } = await payer.pay(session, number, members)
  return { ...session, payer, reference: body.payment.reference as string }
}

test('whoever has paid gets a receipt at the page, and nobody before', async () => {
  const workspace = await without.newWorkspace()
  const { payer, ...session } = await aPaid(workspace)
  const open = await payer.openOne((await aLink(workspace)).slug)

  expect(await payer.receipt(session)).toMatchObject({
    status: 200,
    body: {
      ...{ object: 'receipt', reference: session.reference, amount: 1299, currency: 'eur', exponent: 2 },
      ...{ held: false, items: [], description: 'A book', card: { brand: 'visa', last4: '4242' } },
      ...{
        paid_at: expect.any(String),
        email: 'ada@example.com',
        mode: 'test',
        seller: { name: 'A workspace' },
      },
    },
  })
  expect(await payer.receipt(open)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'open' },
  })
  expect(await payer.receipt({ ...open, client_secret: 'cs_junk' })).toMatchObject({ status: 401 })
})

test('a receipt is mailed once, to the address that was typed', async () => {
  const workspace = await bySmtp.newWorkspace()
  const { reference, id } = await aPaid(workspace)

  await bySmtp.settle()
  await bySmtp.settle()

  const sent = mails.received().filter(({ text }) => text.includes(reference))
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ from: 'receipts@example.com', to: ['ada@example.com'] })
  expect(sent[0]?.head).toContain('Subject: Your receipt from A workspace')
  expect(sent[0]?.head).toContain(`<${id}.receipt@example.com>`)
  expect(sent[0]?.text).toContain('Thank you. You have paid.')
  expect(sent[0]?.text).toContain('€12.99')
})

test('a mail that is refused is sent again later', async () => {
  const workspace = await bySmtp.newWorkspace()
  const { reference } = await aPaid(workspace, { email: 'refused@example.com' })
  mails.refuse('refused@example.com')

  await bySmtp.settle().catch(() => {})
  expect(mails.received().filter(({ text }) => text.includes(reference))).toEqual([])
  mails.refuse(null)
  bySmtp.clock.advance({ hours: 1 })
  await bySmtp.settle()

  expect(mails.received().filter(({ text }) => text.includes(reference))).toHaveLength(1)
})

test.each([
  'ada@example.com, grace@example.com',
  'Ada <ada@example.com>',
  'ada@example.com\r\nBcc: x@example.com',
])('%j is no address, so nobody gets a mail by it', async (email) => {
  const workspace = await bySmtp.newWorkspace()
  const payer = payerAt(workspace.address)
  const session = await payer.openOne((await aLink(workspace)).slug)

  const refused = await payer.pay(session, cards.good, { email })

  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/email', code: 'bad_format' }] },
  })
})

test('in development a mail lies in a folder', async () => {
  const workspace = await intoFolder.newWorkspace()
  const { id, reference } = await aPaid(workspace)

  await intoFolder.settle()

  expect(readdirSync(outbox)).toContain(`${id}.receipt.txt`)
  const text = readFileSync(join(outbox, `${id}.receipt.txt`), 'utf8')
  expect(text).toContain('To: ada@example.com')
  expect(text).toContain(reference)
})

test('where nobody has set mails up, nothing waits to be sent', async () => {
  const workspace = await without.newWorkspace()
  const { id } = await aPaid(workspace)

  await without.settle()

  expect((await workspace.get(`/checkout-sessions/${id}`)).body.status).toBe('completed')
})

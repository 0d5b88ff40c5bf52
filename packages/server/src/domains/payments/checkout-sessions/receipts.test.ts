// Receipts for paid sessions: on the page, and by e-mail through a minimal SMTP server.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { cards, createLink, payerAt } from '../../../../test/support/checkout.ts'
import { mailServerForThisFile } from '../../../../test/support/mail-server.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const mails = await mailServerForThisFile()
const outbox = mkdtempSync(join(tmpdir(), 'switchyard-mails-'))
afterAll(() => rmSync(outbox, { recursive: true }))

const withSmtp = await switchyardForThisFile({
  environment: {
    SIMULATOR_URL: simulator.url,
    SMTP_URL: mails.url,
    MAIL_FROM: 'Shop <receipts@example.com>',
  },
})
const withOutbox = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, MAIL_OUTBOX: outbox },
})
const withoutMail = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function payLink(
  workspace: Workspace,
  members: object = { email: 'ada@example.com' },
  number: string = cards.approved,
) {
  const payer = payerAt(workspace.address)
  const session = await payer.openSession((await createLink(workspace, { description: 'A book' })).slug)
  const { body } = await payer.pay(session, number, members)
  return { ...session, payer, reference: body.payment.reference as string }
}

test('the page shows a receipt after the payment, and not before', async () => {
  const workspace = await withoutMail.newWorkspace()
  const { payer, ...session } = await payLink(workspace)
  const open = await payer.openSession((await createLink(workspace)).slug)

  expect(await payer.receipt(session)).toMatchObject({
    status: 200,
    body: {
      object: 'receipt',
      reference: session.reference,
      amount: 1299,
      currency: 'eur',
      exponent: 2,
      held: false,
      items: [],
      description: 'A book',
      card: { brand: 'visa', last4: '4242' },
      paid_at: expect.any(String),
      email: 'ada@example.com',
      mode: 'test',
      seller: { name: 'A workspace' },
    },
  })
  expect(await payer.receipt(open)).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'open' },
  })
  expect(await payer.receipt({ ...open, client_secret: 'cs_junk' })).toMatchObject({ status: 401 })
})

test('a receipt is e-mailed once, to the address that was entered', async () => {
  const workspace = await withSmtp.newWorkspace()
  const email = (await workspace.aPerson()).email.replace('person', 'Person')
  const { reference, id } = await payLink(workspace, { email })

  await withSmtp.settle()
  await withSmtp.settle()

  const sent = mails.received().filter(({ text }) => text.includes(reference))
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ from: 'receipts@example.com', to: [email] })
  expect(sent[0]?.head).toContain('Subject: Your receipt from A workspace')
  const [mail] = (await workspace.get('/mails')).body.data
  expect(mail).toMatchObject({ kind: 'receipt', object_id: id, status: 'sent' })
  expect(sent[0]?.head).toContain(`<${mail.id}@example.com>`)
  expect(sent[0]?.text).toContain('Thank you for your payment.')
  expect(sent[0]?.text).toContain('€12.99')
  expect((await workspace.get(`/checkout-sessions/${id}`)).body.receipt_sent_at).toEqual(expect.any(String))
})

test('in test mode receipts are sent only to active people of the organization', async () => {
  const [workspace, other] = [await withSmtp.newWorkspace(), await withSmtp.newWorkspace()]
  const [admin, deactivated] = [await workspace.aPerson('ADMIN'), await workspace.aPerson()]
  const outsider = await other.aPerson()
  const browser = await withSmtp.signIn(admin)
  const token = await browser.tokenFor(workspace.workspaceId)
  await workspace.post(`/people/${deactivated.id}/deactivate`, undefined, { token })

  for (const email of ['victim@example.com', outsider.email, deactivated.email]) {
    const { id, reference } = await payLink(workspace, { email })
    await withSmtp.settle()

    expect(mails.received().filter(({ text }) => text.includes(reference))).toEqual([])
    expect((await workspace.get(`/checkout-sessions/${id}`)).body).toMatchObject({
      status: 'completed',
      payer: { email },
      receipt_sent_at: null,
    })
  }
})

test('an e-mail that the mail server rejects is sent again later', async () => {
  const workspace = await withSmtp.newWorkspace()
  const { email } = await workspace.aPerson()
  const { reference } = await payLink(workspace, { email })
  mails.refuse(email)

  await withSmtp.settle().catch(() => {})
  expect(mails.received().filter(({ text }) => text.includes(reference))).toEqual([])
  mails.refuse(null)
  withSmtp.clock.advance({ hours: 1 })
  await withSmtp.settle()

  expect(mails.received().filter(({ text }) => text.includes(reference))).toHaveLength(1)
})

test.each([
  'ada@example.com, grace@example.com',
  'Ada <ada@example.com>',
  'ada@example.com\r\nBcc: x@example.com',
])('%j is rejected as an e-mail address', async (email) => {
  const workspace = await withSmtp.newWorkspace()
  const payer = payerAt(workspace.address)
  const session = await payer.openSession((await createLink(workspace)).slug)

  const response = await payer.pay(session, cards.approved, { email })

  expect(response).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/email', code: 'bad_format' }] },
  })
})

test('with MAIL_OUTBOX, e-mails are written to a folder', async () => {
  const workspace = await withOutbox.newWorkspace()
  const { email } = await workspace.aPerson()
  const { id, reference } = await payLink(workspace, { email })

  await withOutbox.settle()

  const [mail] = (await workspace.get('/mails')).body.data
  expect(mail.object_id).toBe(id)
  expect(readdirSync(outbox)).toEqual(expect.arrayContaining([`${mail.id}.txt`, `${mail.id}.html`]))
  const text = readFileSync(join(outbox, `${mail.id}.txt`), 'utf8')
  expect(text).toContain(`To: ${email}`)
  expect(text).toContain(reference)
})

test('without e-mail configuration a session is completed without a receipt', async () => {
  const workspace = await withoutMail.newWorkspace()
  const { id } = await payLink(workspace)

  await withoutMail.settle()

  expect((await workspace.get(`/checkout-sessions/${id}`)).body.status).toBe('completed')
})

// E-mails to payers: settings, previews, and delivery through a minimal SMTP server that fails on request.

import { afterEach, expect, test } from 'vitest'
import { cards, createLink, payerAt } from '../../../../test/support/checkout.ts'
import { mailServerForThisFile } from '../../../../test/support/mail-server.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { watchCrashpoints } from '../../../platform/crashpoint.ts'

const simulator = await simulatorForThisFile()
const server = await mailServerForThisFile()
const { newWorkspace, settle, clock, addresses } = await switchyardForThisFile({
  environment: {
    SIMULATOR_URL: simulator.url,
    SMTP_URL: server.url,
    MAIL_FROM: 'Shop <receipts@example.com>',
  },
})

afterEach(() => watchCrashpoints(() => {}))

const receivedBy = (address: string) => server.received().filter(({ to }) => to.includes(address))
const mailsOf = async ({ get }: Workspace) => (await get('/mails')).body.data
/** Runs due work. While an e-mail fails it stays due, so this runs until nothing is due. */
const run = () => settle().catch(() => {})

async function workspaceWithPerson() {
  const workspace = await newWorkspace()
  const { email } = await workspace.aPerson()
  return { workspace, email }
}

test('settings have defaults, can be changed one by one, and are recorded in the audit log', async () => {
  const { get, put } = await newWorkspace()
  const kinds = {
    receipt: true,
    payment_failed: true,
    action_required: true,
    invoice_finalized: false,
    invoice_sent: true,
    invoice_reminder: true,
    card_expiring: false,
    trial_ending: false,
    renewal_upcoming: false,
    cancelled: false,
    refunded: false,
    cancellation_received: true,
    cancellation_confirmed: true,
    mandate_created: false,
    login_code: true,
  }
  expect((await get('/mail-settings')).body).toEqual({
    object: 'mail_settings',
    sender_name: null,
    reply_to: null,
    kinds,
    texts: [],
  })

  await put('/mail-settings', { reply_to: 'help@example.com', kinds: { receipt: false } })
  const changed = await put('/mail-settings', { sender_name: 'Ada’s shop', kinds: { refunded: true } })

  expect(changed.body).toMatchObject({
    sender_name: 'Ada’s shop',
    reply_to: 'help@example.com',
    kinds: { ...kinds, receipt: false, refunded: true },
  })
  expect((await get('/mail-settings')).body).toEqual(changed.body)
  expect((await get('/audit-entries?act=mail_settings.updated')).body.data).toHaveLength(2)
})

test.each([
  [{ reply_to: 'a@example.com, b@example.com' }, '/reply_to'],
  [{ sender_name: 'Ada\r\nBcc: x@example.com' }, '/sender_name'],
  [{ kinds: { newsletter: true } }, '/kinds/newsletter'],
  [{ texts: [{ kind: 'receipt', language: 'nl', body: 'Bedankt' }] }, '/texts/0/language'],
  [{ texts: [{ kind: 'receipt', language: 'de', body: 'Hallo {name}' }] }, '/texts/0/body'],
  [
    { texts: [{ kind: 'receipt', language: 'de', subject: 'Danke\nBcc: x@example.com' }] },
    '/texts/0/subject',
  ],
  [{ texts: [{ kind: 'receipt', language: 'de', subject: 'Am {date}' }] }, '/texts/0/subject'],
])('the settings %j are rejected', async (body, pointer) => {
  const { put } = await newWorkspace()

  expect(await put('/mail-settings', body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})

test('a preview shows the branding of the workspace in the requested language, and sends nothing', async () => {
  const { put, post, get } = await newWorkspace()
  await put('/workspace', { branding: { display_name: 'Café Zürich', accent_color: '#0b5fff' } })

  const { body } = await post('/mail-settings/preview', { kind: 'payment_failed', locale: 'de' })

  expect(body.subject).toBe('Ihre Zahlung an Café Zürich ist fehlgeschlagen')
  expect(body.text).toContain('Rechnung bezahlen: ')
  expect(body.html).toContain('#0b5fff')
  expect((await get('/mails')).body.data).toEqual([])
})

test('changed wording is previewed before it is saved, used by e-mails in its language, and restored', async () => {
  const { workspace, email } = await workspaceWithPerson()
  const { post, put, get } = workspace
  const text = { kind: 'receipt', language: 'en', subject: 'Thanks from {seller}', body: 'See you soon.' }
  const german = { kind: 'trial_ending', language: 'de', subject: null, body: 'Bis {date} kostenlos.' }

  const preview = await post('/mail-settings/preview', { kind: 'receipt', texts: [text] })
  expect(preview.body).toMatchObject({ subject: 'Thanks from A workspace' })
  expect((await get('/mail-settings')).body.texts).toEqual([])
  await put('/mail-settings', { texts: [text] })
  expect((await put('/mail-settings', { texts: [german] })).body.texts).toEqual([text, german])
  expect((await post('/mail-settings/preview', { kind: 'trial_ending', locale: 'de' })).body.text).toContain(
    'Bis 1. Dezember 2026 kostenlos.',
  )
  await workspace.anEmail(email)
  await run()
  expect(receivedBy(email)[0]?.head).toMatch(/^Subject: Thanks from A workspace$/m)
  expect(receivedBy(email)[0]?.text).toContain('See you soon.')

  await put('/mail-settings', { texts: [{ kind: 'receipt', language: 'en' }] })
  expect((await get('/mail-settings')).body.texts).toEqual([german])
})

test('a list by status contains only e-mails with that status', async () => {
  const { workspace, email } = await workspaceWithPerson()
  const [sent, unsent] = [await workspace.anEmail(email), await workspace.anEmail('stranger@example.com')]
  await run()

  const idsOf = async (status: string) =>
    (await workspace.get(`/mails?status=${status}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await idsOf('sent')).toEqual([sent])
  expect(await idsOf('not_sent')).toEqual([unsent])
  expect(await idsOf('failed')).toEqual([])
  expect((await workspace.get('/mails?status=lost')).status).toBe(400)
})

test('an e-mail has the sender name and reply address of the settings, HTML, and the logo', async () => {
  const { workspace, email } = await workspaceWithPerson()
  const logo_url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await workspace.put('/workspace', { branding: { logo_url } })
  await workspace.put('/mail-settings', { sender_name: 'Ada', reply_to: 'help@example.com' })
  const id = await workspace.anEmail(email)

  await run()

  const [mail] = receivedBy(email)
  expect(mail?.head).toMatch(/^From: Ada <receipts@example\.com>$/m)
  expect(mail?.head).toMatch(/^Reply-To: help@example\.com$/m)
  expect(mail?.head).toContain(`<${id}@example.com>`)
  expect(mail?.text).toContain('Amount: €12.99')
  expect(mail?.html).toContain('src="cid:logo"')
  expect((await workspace.get(`/mails/${id}`)).body).toMatchObject({
    status: 'sent',
    attempts: 1,
    reason: null,
    text: mail?.text.replaceAll('\n\n\n', '\n\n'),
  })
})

test('in test mode an e-mail to a stranger is stored and shown, and not sent', async () => {
  const { workspace } = await workspaceWithPerson()
  const id = await workspace.anEmail('stranger@example.com')

  await run()

  expect((await workspace.get(`/mails/${id}`)).body).toMatchObject({
    status: 'not_sent',
    reason: 'test_recipient',
    to: 'stranger@example.com',
    subject: 'Your receipt from A workspace',
    sent_at: null,
  })
  expect(receivedBy('stranger@example.com')).toEqual([])
})

test('a kind that is switched off creates no e-mails', async () => {
  const { workspace, email } = await workspaceWithPerson()
  await workspace.put('/mail-settings', { kinds: { receipt: false } })
  const payer = payerAt(workspace.address)
  await payer.pay(await payer.openSession((await createLink(workspace)).slug), cards.approved, { email })

  await run()

  expect(await mailsOf(workspace)).toEqual([])
  expect(receivedBy(email)).toEqual([])
})

test('while the mail server is unavailable, an e-mail is retried for three days, and then fails', async () => {
  const { workspace, email } = await workspaceWithPerson()
  await workspace.anEmail(email)
  server.refuse(email)

  await run()
  expect(await mailsOf(workspace)).toMatchObject([{ status: 'pending', reason: 'unavailable', attempts: 1 }])
  for (let hours = 0; hours < 70; hours += 10) {
    clock.advance({ hours: 10 })
    await run()
  }
  expect(await mailsOf(workspace)).toMatchObject([{ status: 'pending', reason: 'unavailable' }])
  clock.advance({ hours: 3 })
  await run()

  expect(await mailsOf(workspace)).toMatchObject([{ status: 'failed', reason: 'unavailable', due_at: null }])
  server.refuse(null)
  expect(receivedBy(email)).toEqual([])
})

test('an address that the mail server rejects permanently is not tried again', async () => {
  const { workspace, email } = await workspaceWithPerson()
  await workspace.anEmail(email)
  server.refuse(email, '550 no such user')

  await run()
  server.refuse(null)

  expect(await mailsOf(workspace)).toMatchObject([{ status: 'failed', reason: 'rejected', attempts: 1 }])
})

test('if the response of the mail server is lost, the e-mail is sent once more, and never a third time', async () => {
  const { workspace, email } = await workspaceWithPerson()
  await workspace.anEmail(email)
  server.dropResponses(true)

  for (let round = 0; round < 5; round += 1) {
    await run()
    clock.advance({ hours: 1 })
  }
  server.dropResponses(false)
  await run()

  expect(receivedBy(email)).toHaveLength(2)
  expect(new Set(receivedBy(email).map(({ head }) => /^Message-ID: .*$/m.exec(head)?.[0])).size).toBe(1)
  expect(await mailsOf(workspace)).toMatchObject([{ status: 'failed', reason: 'outcome_unknown' }])
})

test('after one lost response, an accepted repeat is final', async () => {
  const { workspace, email } = await workspaceWithPerson()
  await workspace.anEmail(email)
  server.dropResponses(true)
  await run()
  server.dropResponses(false)
  clock.advance({ hours: 1 })
  await run()
  clock.advance({ hours: 1 })
  await run()

  expect(receivedBy(email)).toHaveLength(2)
  expect(await mailsOf(workspace)).toMatchObject([{ status: 'sent', attempts: 2 }])
})

test.each([
  ['mail.started', 1],
  ['mail.answered', 2],
] as const)(
  'a worker that crashes at %s: the e-mail is received %i times, and is sent at the end',
  async (point, times) => {
    const { workspace, email } = await workspaceWithPerson()
    await workspace.anEmail(email)
    let crashes = 0
    watchCrashpoints((name) => {
      if (name !== point || crashes > 0) return
      crashes += 1
      throw new Error('simulated crash')
    })
    await run()
    // Nothing happens before the lease expires.
    await run()
    expect(receivedBy(email)).toHaveLength(times - 1)
    expect(await mailsOf(workspace)).toMatchObject([{ status: 'pending', attempts: 1 }])

    clock.advance({ hours: 1 })
    await run()

    expect(crashes).toBe(1)
    expect(receivedBy(email)).toHaveLength(times)
    expect(await mailsOf(workspace)).toMatchObject([{ status: 'sent', attempts: 2 }])
  },
)

test.each(['postmark', 'amazon-ses', 'return-path'])(
  'reports of undeliverable e-mails at /mail-events/%s are refused without the setting for it',
  async (adapter) => {
    const response = await fetch(`${addresses.live}/mail-events/${adapter}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('postmark:secret').toString('base64')}` },
      body: '{}',
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'mail_event_unauthorized' })
  },
)

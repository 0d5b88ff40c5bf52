// Reports of mail services about bounces and complaints, and what follows from them.

import { createSign } from 'node:crypto'
import { expect, test } from 'vitest'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { mailServerForThisFile } from '../../../../test/support/mail-server.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { deleteOldMails, mailKeepDays } from '../../../platform/db/mail-retention.ts'
import { asOwner } from '../../../platform/db/owner.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import type { Outbound } from '../../../platform/outbound/outbound.ts'
import { createMails } from './service.ts'

const topic = 'arn:aws:sns:eu-central-1:123456789012:bounces'
const amazon = selfSigned(['sns.amazonaws.com'])
const opened: string[] = []
/** Amazon SNS: serves its certificate, and records the confirmed subscriptions. */
const outbound = {
  send: async ({ url }: { url: string }) => {
    opened.push(url)
    return { kind: 'replied', status: 200, truncated: false, body: amazon.cert }
  },
  close: async () => {},
} as unknown as Outbound

const server = await mailServerForThisFile()
const switchyard = await switchyardForThisFile({
  environment: {
    SMTP_URL: server.url,
    MAIL_FROM: 'Shop <receipts@example.com>',
    MAIL_EVENTS_POSTMARK: 'postmark:secret',
    MAIL_EVENTS_SES_TOPICS: topic,
  },
  overrides: { outbound },
})
const { newWorkspace, settle, call, deps } = switchyard

const run = () => settle().catch(() => {})
const receivedBy = (address: string) => server.received().filter(({ to }) => to.includes(address))

/** The headers of the last e-mail to this address, with unfolded lines. */
const headersOf = (email: string) => (receivedBy(email).at(-1)?.head ?? '').replaceAll(/\n\s+/g, ' ')

/** Sends an e-mail to the customer, and returns the reference in its headers. */
async function mailCustomer({ workspaceId }: Workspace, customerId: string, email: string) {
  const id = workspaceId as Id<'workspace'>
  await transact(deps, systemCaller({ workspaceId: id, id }), (tx) =>
    createMails(tx, [
      {
        kind: 'refunded',
        objectId: tx.newId('refund'),
        step: 0,
        customerId: customerId as Id<'customer'>,
        recipient: null,
        locale: null,
        facts: { amount: '1299', currency: 'eur' },
      },
    ]),
  )
  await run()
  return headersOf(email).match(/^X-Switchyard-Reference: (.+)$/im)?.[1] ?? ''
}

async function mailedCustomer(email: string) {
  const workspace = await newWorkspace('live')
  await workspace.put('/mail-settings', { kinds: { refunded: true } })
  const { body: customer } = await workspace.post('/customers', { name: 'Ada', email })
  return { workspace, customer, reference: await mailCustomer(workspace, customer.id, email) }
}

const postmark = (body: object, credentials = 'postmark:secret') =>
  call('live', 'POST', '/mail-events/postmark', body, {
    token: null,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  })
const hardBounce = (email: string, reference: string) => ({
  RecordType: 'Bounce',
  Type: 'HardBounce',
  Email: email,
  Details: 'smtp; 550 5.1.1 unknown user',
  Metadata: { Switchyard: reference },
})

test('after a hard bounce, the customer needs attention, and gets e-mails again at another address', async () => {
  const email = 'ada@bounces.example'
  const { workspace, customer, reference } = await mailedCustomer(email)
  expect(headersOf(email)).toMatch(new RegExp(`^X-PM-Metadata-switchyard: ${reference}$`, 'im'))
  expect(headersOf(email)).toMatch(new RegExp(`^X-SES-MESSAGE-TAGS: switchyard=${reference}$`, 'im'))
  const other = await mailedCustomer(email)

  expect((await postmark(hardBounce('Ada@Bounces.example', reference))).body).toEqual({ received: true })
  await postmark(hardBounce(email, reference))

  const [mail, ...others] = (await workspace.get('/mails?status=bounced')).body.data
  expect(others).toEqual([])
  expect(mail).toMatchObject({ bounce_detail: 'smtp; 550 5.1.1 unknown user', sent_at: expect.any(String) })
  const emailStatus = async () => (await workspace.get(`/customers/${customer.id}`)).body.email_status
  expect(await emailStatus()).toBe('bounced')
  const events = (await workspace.get('/events?type=mail.bounced')).body.data
  expect(events.map(({ data }: { data: string }) => data)).toEqual([
    expect.stringContaining(`"id":"${mail.id}"`),
  ])
  expect((await workspace.get('/attention')).body.data).toMatchObject([
    { kind: 'customers_unreachable', object_id: customer.id },
  ])
  // Another workspace that has e-mailed the same address is not affected.
  expect((await other.workspace.get(`/customers/${other.customer.id}`)).body.email_status).toBeNull()

  const before = receivedBy(email).length
  await mailCustomer(workspace, customer.id, email)
  expect(receivedBy(email)).toHaveLength(before)
  expect((await workspace.get('/mails?status=not_sent')).body.data).toMatchObject([{ reason: 'bounced' }])

  await workspace.put(`/customers/${customer.id}`, { email: 'lovelace@bounces.example' })
  expect(await emailStatus()).toBeNull()
  expect((await workspace.get('/attention')).body.data).toEqual([])
  await mailCustomer(workspace, customer.id, 'lovelace@bounces.example')
  expect(receivedBy('lovelace@bounces.example')).toHaveLength(1)

  // An address that is known to bounce is recognized again.
  await workspace.put(`/customers/${customer.id}`, { email })
  await mailCustomer(workspace, customer.id, email)
  expect(receivedBy(email)).toHaveLength(before)
  expect(await emailStatus()).toBe('bounced')
})

test('reports that are not authenticated, temporary, or about other e-mails change nothing', async () => {
  const email = 'grace@bounces.example'
  const { workspace, customer, reference } = await mailedCustomer(email)

  expect((await postmark(hardBounce(email, reference), 'postmark:wrong')).body.code).toBe(
    'mail_event_unauthorized',
  )
  expect((await call('live', 'POST', '/mail-events/postmark', {}, { token: null })).status).toBe(401)
  expect((await call('live', 'POST', '/mail-events/elsewhere', {}, { token: null })).status).toBe(404)
  for (const body of [
    { ...hardBounce(email, reference), Type: 'SoftBounce' },
    hardBounce('other@bounces.example', reference),
    hardBounce(email, `${reference.slice(0, -1)}${reference.endsWith('A') ? 'B' : 'A'}`),
    hardBounce(email, ''),
    { RecordType: 'Delivery' },
  ])
    expect((await postmark(body)).status).toBe(200)

  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBeNull()
  await postmark({ ...hardBounce(email, reference), RecordType: 'SpamComplaint', Type: 'SpamComplaint' })
  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBe('complained')
  expect((await workspace.get('/events?type=mail.complained')).body.data).toHaveLength(1)
})

function signed(message: Record<string, string>, names: readonly string[]) {
  const text = names.flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]))
  const signature = createSign('sha256').update(text.join('')).sign(amazon.key, 'base64')
  return { ...message, SignatureVersion: '2', Signature: signature }
}
const sns = (body: object) => call('live', 'POST', '/mail-events/amazon-ses', body, { token: null })
const notification = (message: object, changes: Record<string, string> = {}) =>
  signed(
    {
      Type: 'Notification',
      MessageId: 'a1',
      TopicArn: topic,
      Timestamp: '2026-11-14T12:00:00.000Z',
      Message: JSON.stringify(message),
      SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/certificate.pem',
      ...changes,
    },
    ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  )

test('Amazon SES reports bounces with signed messages, after the subscription is confirmed', async () => {
  const email = 'joan@bounces.example'
  const { workspace, customer, reference } = await mailedCustomer(email)
  const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription'
  const confirmation = signed(
    { ...notification({}), Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL },
    ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  )
  expect((await sns(confirmation)).status).toBe(200)
  expect(opened).toContain(SubscribeURL)

  const bounce = {
    eventType: 'Bounce',
    mail: { tags: { switchyard: [reference] } },
    bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: email }] },
  }
  const forged = { ...notification(bounce), Message: JSON.stringify({ ...bounce, extra: 1 }) }
  for (const body of [
    forged,
    { ...notification(bounce), SignatureVersion: '1' },
    notification(bounce, { TopicArn: 'arn:aws:sns:eu-central-1:1:other' }),
    notification(bounce, { SigningCertURL: 'https://sns.eu-central-1.amazonaws.com.example.com/c.pem' }),
    notification(bounce, { SigningCertURL: 'http://sns.eu-central-1.amazonaws.com/c.pem' }),
  ])
    expect((await sns(body)).body.code).toBe('mail_event_unauthorized')
  await sns(notification({ ...bounce, bounce: { ...bounce.bounce, bounceType: 'Transient' } }))
  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBeNull()

  const byHeader = { headers: [{ name: 'X-Switchyard-reference', value: ` ${reference}` }] }
  await sns(notification({ ...bounce, mail: byHeader }))
  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBe('bounced')
})

test('in test workspaces, the addresses bounce@example.com and complaint@example.com simulate reports', async () => {
  const workspace = await newWorkspace()
  await workspace.aMail('bounce@example.com')
  await workspace.aMail('Complaint+1@example.com')
  await run()

  expect((await workspace.get('/mails')).body.data).toMatchObject([
    { to: 'Complaint+1@example.com', status: 'complained' },
    { to: 'bounce@example.com', status: 'bounced' },
  ])
})

test('e-mails are deleted a while after they have ended, and pending ones are kept', async () => {
  const workspace = await newWorkspace()
  const [old, recent] = [await workspace.aMail('old@example.com'), await workspace.aMail('new@example.com')]
  await run()
  const pending = await workspace.aMail('pending@example.com')
  const age = (recipient: string, days: number) =>
    asOwner(switchyard.databaseUrl, (client) =>
      client.query(`update mails set updated_at = now() - $2 * interval '1 day' where recipient = $1`, [
        recipient,
        days,
      ]),
    )
  await age('old@example.com', mailKeepDays + 1)
  await age('new@example.com', mailKeepDays - 1)
  await age('pending@example.com', mailKeepDays + 1)

  await deleteOldMails(deps.databases.control)

  const statusOf = async (id: string) => (await workspace.get(`/mails/${id}`)).status
  expect(await Promise.all([old, recent, pending].map(statusOf))).toEqual([404, 200, 200])
})

// Reports of mail services about bounces and complaints, and their effects.

import { createSign } from 'node:crypto'
import { expect, test } from 'vitest'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { mailServerForThisFile } from '../../../../test/support/mail-server.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { deleteOldMails, mailKeepDays } from '../../../platform/db/mail-retention.ts'
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
    MAIL_RETURN_PATH: 'bounces@mail.example.com',
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

/**
 * The message with which the mail server of the recipient returns an e-mail, as Postfix writes it (RFC 3464).
 */
const returned = (to: string, fields: Readonly<Record<string, string>>, recipient = 'joan@hosted.example') =>
  `Return-Path: <>
Received: by mail.example.com (Postfix) id 4d2Kq71Zz9z1; Mon, 16 Nov 2026 09:12:44 +0000 (UTC)
From: MAILER-DAEMON@mx.hosted.example (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: ${to}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="4d2Kq6.1794820364/mx.hosted.example"
Message-Id: <20261116091244.4d2Kq71Zz9z1@mx.hosted.example>

This is a MIME-encapsulated message.

--4d2Kq6.1794820364/mx.hosted.example
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

--4d2Kq6.1794820364/mx.hosted.example
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.hosted.example
X-Postfix-Queue-ID: 4d2Kq6
Arrival-Date: Mon, 16 Nov 2026 09:12:43 +0000 (UTC)

Final-Recipient: rfc822; ${recipient}
Original-Recipient: rfc822;${recipient}
${Object.entries(fields)
  .map(([name, value]) => `${name}: ${value}`)
  .join('\n')}

--4d2Kq6.1794820364/mx.hosted.example
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

From: Shop <receipts@example.com>
Subject: Your refund

--4d2Kq6.1794820364/mx.hosted.example--
`
const unknownUser = {
  Action: 'failed',
  Status: '5.1.1',
  'Remote-MTA': 'dns; mx.elsewhere.example',
  'Diagnostic-Code': `smtp; 550 5.1.1 <joan@elsewhere.example>: Recipient address
    rejected: User unknown`,
}
const returnMail = async (message: string) => {
  const url = `${switchyard.addresses.live}/mail-events/return-path`
  const body = message.replaceAll('\n', '\r\n')
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body,
  })
  return [response.status, await response.json()]
}
const received = [200, { received: true }]

test('an e-mail that is returned to its return path bounces, even if it had been forwarded', async () => {
  const email = 'marie@bounces.example'
  const { workspace, customer } = await mailedCustomer(email)
  const path = receivedBy(email)[0]?.from ?? ''
  expect(path).toMatch(/^bounces\+[\w-]{54}@mail\.example\.com$/)
  expect(path.indexOf('@')).toBeLessThanOrEqual(64)

  const message = returned(path, unknownUser, 'joan@elsewhere.example')
  expect(await returnMail(message)).toEqual(received)
  expect(await returnMail(message)).toEqual(received)

  expect((await workspace.get('/mails?status=bounced')).body.data).toMatchObject([
    {
      to: email,
      bounce_detail: 'smtp; 550 5.1.1 <joan@elsewhere.example>: Recipient address rejected: User unknown',
    },
  ])
  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBe('bounced')
  expect((await workspace.get('/events?type=mail.bounced')).body.data).toHaveLength(1)
})

test('temporary failures, other messages and forged return paths change nothing', async () => {
  const email = 'emmy@bounces.example'
  const { workspace, customer } = await mailedCustomer(email)
  const path = receivedBy(email)[0]?.from ?? ''
  const other = receivedBy('marie@bounces.example')[0]?.from ?? ''
  const [token = ''] = path.match(/[\w-]{54}/) ?? []
  const [otherToken = ''] = other.match(/[\w-]{54}/) ?? []
  const withToken = (changed: string) => path.replace(token, changed)
  const flipped = token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))

  for (const message of [
    // The mail server tries again, or the mailbox is full, or it refuses the content or the sender.
    returned(path, { ...unknownUser, Action: 'delayed', Status: '4.4.1' }),
    returned(path, { ...unknownUser, Status: '4.4.7' }),
    returned(path, { ...unknownUser, Status: '5.2.2' }),
    returned(path, { ...unknownUser, Status: '5.7.1' }),
    returned(path, { ...unknownUser, Action: 'relayed' }),
    returned(path, {}),
    // Messages of a person and of a program, with the text of a report.
    returned(path, unknownUser).replace('multipart/report', 'multipart/mixed'),
    `To: ${path}\nSubject: Out of office\n\nAction: failed\nStatus: 5.1.1\n`,
    '',
    // Tokens that are forged, shortened, or for another address, or have the authentication code of another
    // e-mail.
    returned(withToken(flipped), unknownUser),
    returned(withToken(token.slice(0, -2)), unknownUser),
    returned(withToken(`${token.slice(0, 44)}${otherToken.slice(44)}`), unknownUser),
    returned(path.replace('mail.example.com', 'mail.example.net'), unknownUser),
    returned('bounces@mail.example.com', unknownUser),
    returned('marie@example.com', unknownUser).replace('Your refund', path),
  ])
    expect(await returnMail(message)).toEqual(received)
  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBeNull()

  await returnMail(returned(path.replace('bounces', 'Bounces'), unknownUser))
  expect((await workspace.get(`/customers/${customer.id}`)).body.email_status).toBe('bounced')
})

test('in test workspaces, the addresses bounce@example.com and complaint@example.com simulate reports', async () => {
  const workspace = await newWorkspace()
  await workspace.anEmail('bounce@example.com')
  await workspace.anEmail('Complaint+1@example.com')
  await run()

  expect((await workspace.get('/mails')).body.data).toMatchObject([
    { to: 'Complaint+1@example.com', status: 'complained' },
    { to: 'bounce@example.com', status: 'bounced' },
  ])
})

test('e-mails are deleted 400 days after their last attempt, and pending e-mails are kept', async () => {
  const workspace = await newWorkspace()
  const [old, recent] = [
    await workspace.anEmail('old@example.com'),
    await workspace.anEmail('new@example.com'),
  ]
  await run()
  const pending = await workspace.anEmail('pending@example.com')
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

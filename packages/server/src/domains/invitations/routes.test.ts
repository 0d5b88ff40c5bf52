import { expect, test } from 'vitest'
import { makePerson, type Organization } from '../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
let guests = 0

async function invite(organization: Organization, members: object = {}) {
  guests += 1
  const input = { email: `guest-${guests}@example.com`, role: 'SUPPORT', ...members }
  const { status, body, headers } = await callerOf(organization)('POST', '/invitations', input)
  return { status, body, headers, email: input.email, secret: String(body.url).split('#')[1] as string }
}

function callerOf({ live }: Organization) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    switchyard.call('live', method, path, body, { token: live.token, headers })
}

const guest = { name: 'Grace Hopper', password: 'a password of length' }

test('whoever is invited becomes a person, chooses a password, and is signed in', async () => {
  const organization = await switchyard.newOrganization('Café Zürich')
  const { status, body, email, secret } = await invite(organization)
  const browser = switchyard.openBrowser()

  const shown = await browser.post('/invitations/look', { secret })
  const joined = await browser.post('/invitations/accept', { ...guest, secret })

  expect(status).toBe(201)
  expect(body).toMatchObject({
    object: 'invitation',
    status: 'pending',
    expires_at: '2026-11-21T12:00:00.000Z',
    url: `${switchyard.dashboardUrl}/join#${secret}`,
  })
  expect(shown.body).toEqual({
    email,
    organization: 'Café Zürich',
    role: 'SUPPORT',
    expires_at: body.expires_at,
  })
  expect(joined).toMatchObject({
    status: 200,
    body: { person: { email, name: guest.name, role: 'SUPPORT' } },
  })
  expect((await browser.get('/session')).status).toBe(200)
  expect((await switchyard.openBrowser().signIn(email, guest.password)).status).toBe(200)
  const { body: list } = await callerOf(organization)('GET', '/invitations')
  expect(list.data).toMatchObject([{ id: body.id, status: 'accepted', person_id: joined.body.person.id }])
  expect(list.data[0]).not.toHaveProperty('url')
})

test('the audit log says who was invited, who came, and that they signed in', async () => {
  const organization = await switchyard.newOrganization()
  const { body, secret } = await invite(organization)
  const { body: session } = await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })

  const { body: audit } = await callerOf(organization)('GET', '/audit-entries?limit=4')

  const { id } = session.person
  expect(audit.data).toMatchObject([
    { act: 'person.signed_in', object_id: id, person_id: id, details: { by: 'invitation' } },
    { act: 'invitation.accepted', object_id: body.id, details: { person_id: id } },
    { act: 'person.created', object_id: id },
    { act: 'invitation.created', object_id: body.id, details: { role: 'SUPPORT' } },
  ])
})

test('a link opens once, also for two at the same time', async () => {
  const { secret } = await invite(await switchyard.newOrganization())
  const join = () => switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })

  const answers = await Promise.all([join(), join(), join()])

  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
  expect((await switchyard.openBrowser().post('/invitations/look', { secret })).status).toBe(404)
})

test('it opens for seven days, and then says that it has expired', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await invite(organization)

  switchyard.clock.advance({ days: 7 })

  expect((await switchyard.openBrowser().post('/invitations/look', { secret })).status).toBe(404)
  expect((await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })).status).toBe(404)
  const { body } = await callerOf(organization)('GET', '/invitations')
  expect(body.data[0].status).toBe('expired')
})

test('one that was revoked opens nothing; one that was accepted cannot be revoked', async () => {
  const organization = await switchyard.newOrganization()
  const call = callerOf(organization)
  const [first, second] = [await invite(organization), await invite(organization)]
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: second.secret })

  const revoked = await call('POST', `/invitations/${first.body.id}/revoke`)
  const again = await call('POST', `/invitations/${first.body.id}/revoke`)
  const late = await call('POST', `/invitations/${second.body.id}/revoke`)

  expect([revoked.body.status, again.body.status]).toEqual(['revoked', 'revoked'])
  expect(late).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'accepted' } })
  expect(
    (await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: first.secret })).status,
  ).toBe(404)
})

test('a newer one for the same address takes the place of the one before', async () => {
  const organization = await switchyard.newOrganization()
  const first = await invite(organization)
  const second = await invite(organization, { email: first.email.toUpperCase(), role: 'ADMIN' })

  expect((await switchyard.openBrowser().post('/invitations/look', { secret: first.secret })).status).toBe(
    404,
  )
  expect(
    (await switchyard.openBrowser().post('/invitations/look', { secret: second.secret })).body,
  ).toMatchObject({
    email: first.email,
    role: 'ADMIN',
  })
})

test('nobody is invited twice under one address', async () => {
  const organization = await switchyard.newOrganization()
  const { email, secret } = await invite(organization)
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })

  expect(await invite(organization, { email })).toMatchObject({ status: 409, body: { code: 'email_taken' } })
})

test('one address is one person, in whichever organization', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const there = await invite(theirs)
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: there.secret })
  const here = await invite(ours, { email: there.email })

  const answer = await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: here.secret })

  // That somebody elsewhere has the address is told to whoever proves that it is theirs, and to nobody else.
  expect(here.status).toBe(201)
  expect(answer).toMatchObject({ status: 409, body: { code: 'email_taken' } })
})

test('those of another organization are neither listed nor revoked', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const { body } = await invite(theirs)

  expect((await callerOf(ours)('GET', '/invitations')).body.data).toEqual([])
  expect((await callerOf(ours)('POST', `/invitations/${body.id}/revoke`)).status).toBe(404)
})

test('a repeat of the request is answered without the link', async () => {
  const organization = await switchyard.newOrganization()
  const input = { email: 'repeat@example.com', role: 'SUPPORT' }
  const call = () => callerOf(organization)('POST', '/invitations', input, { 'idempotency-key': 'invite' })

  const [first, second] = [await call(), await call()]

  expect(first.body.url).toContain('/join#')
  expect(second.body).toEqual({ ...first.body, url: null })
})

test('a short password is not taken, and the link stays good', async () => {
  const { secret } = await invite(await switchyard.newOrganization())
  const browser = switchyard.openBrowser()

  const short = await browser.post('/invitations/accept', { ...guest, secret, password: 'elevenchars' })

  expect(short).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/password', code: 'too_short' }] },
  })
  expect((await browser.post('/invitations/accept', { ...guest, secret })).status).toBe(200)
})

/** An invitation that a person made with the dashboard, and somebody who can still be asked about it. */
async function invitedBySomebody(organization: Organization) {
  const { organizationId, live } = organization
  const place = { organizationId, workspaceId: live.workspaceId }
  const person = await makePerson(switchyard.deps, place, { role: 'ADMIN' })
  const token = await (await switchyard.signIn(person)).tokenFor(live.workspaceId)
  guests += 1
  const invite = (role: string) =>
    switchyard.call('live', 'POST', '/invitations', { email: `guest-${guests}@example.com`, role }, { token })
  const { body } = await invite('ADMIN')
  return { person, id: body.id, secret: String(body.url).split('#')[1] as string }
}

test.each([
  ['deactivated', 'POST', '/deactivate', undefined],
  ['no longer ADMIN', 'PUT', '', { role: 'DEVELOPER' }],
])(
  'what somebody sent who is %s opens nothing, and what others sent stays',
  async (_, method, path, body) => {
    const organization = await switchyard.newOrganization()
    const call = callerOf(organization)
    const ours = await invite(organization)
    const theirs = await invitedBySomebody(organization)
    const look = async (secret: string) =>
      (await switchyard.openBrowser().post('/invitations/look', { secret })).status
    expect(await look(theirs.secret)).toBe(200)

    await call(method, `/people/${theirs.person.id}${path}`, body)

    expect([await look(theirs.secret), await look(ours.secret)]).toEqual([404, 200])
    const accepted = await switchyard.openBrowser().post('/invitations/accept', {
      ...guest,
      secret: theirs.secret,
    })
    expect(accepted.status).toBe(404)
    const { body: audit } = await call('GET', '/audit-entries?limit=2')
    expect(audit.data).toMatchObject([{}, { act: 'invitation.revoked', object_id: theirs.id }])
  },
)

test('what was accepted before its sender left stays accepted', async () => {
  const organization = await switchyard.newOrganization()
  const { person, secret } = await invitedBySomebody(organization)
  const browser = switchyard.openBrowser()
  await browser.post('/invitations/accept', { ...guest, secret })

  await callerOf(organization)('POST', `/people/${person.id}/deactivate`)

  expect((await browser.get('/session')).status).toBe(200)
})

test('no secret stands in a path', async () => {
  const { secret } = await invite(await switchyard.newOrganization())
  const browser = switchyard.openBrowser()

  expect((await browser.get(`/invitations/${secret}`)).body).not.toHaveProperty('email')
  expect((await browser.post(`/invitations/${secret}`, guest)).status).toBe(404)
})

test('joining is counted, also with a link that is right', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const there = await invite(theirs)
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: there.secret })
  const { secret } = await invite(ours, { email: there.email })
  const statuses: number[] = []
  for (let nth = 0; nth < 32; nth += 1) {
    const answer = await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })
    statuses.push(answer.status)
  }

  expect(new Set(statuses)).toEqual(new Set([409, 429]))
})

import { expect, test } from 'vitest'
import { createTestPerson, type Organization } from '../../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
let guests = 0

async function invite(organization: Organization, members: object = {}) {
  guests += 1
  const input = { email: `guest-${guests}@example.com`, role: 'SUPPORT', ...members }
  const { status, body, headers } = await apiCaller(organization)('POST', '/invitations', input)
  return { status, body, headers, email: input.email, secret: String(body.url).split('#')[1] as string }
}

function apiCaller({ live }: Organization) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    switchyard.call('live', method, path, body, { token: live.token, headers })
}

const guest = { name: 'Grace Hopper', password: 'a password of length' }

test('accepting an invitation creates a person with a password, and signs them in', async () => {
  const organization = await switchyard.newOrganization('Café Zürich')
  const { status, body, email, secret } = await invite(organization)
  const browser = switchyard.openBrowser()

  const shown = await browser.post('/invitations/look', { secret })
  const accepted = await browser.post('/invitations/accept', { ...guest, secret })

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
  expect(accepted).toMatchObject({
    status: 200,
    body: { person: { email, name: guest.name, role: 'SUPPORT' } },
  })
  expect((await browser.get('/session')).status).toBe(200)
  expect((await switchyard.openBrowser().signIn(email, guest.password)).status).toBe(200)
  const { body: list } = await apiCaller(organization)('GET', '/invitations')
  expect(list.data).toMatchObject([{ id: body.id, status: 'accepted', person_id: accepted.body.person.id }])
  expect(list.data[0]).not.toHaveProperty('url')
})

test('the audit log records the invitation, its acceptance and the sign-in', async () => {
  const organization = await switchyard.newOrganization()
  const { body, secret } = await invite(organization)
  const { body: session } = await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })

  const { body: audit } = await apiCaller(organization)('GET', '/audit-entries?limit=4')

  const { id } = session.person
  expect(audit.data).toMatchObject([
    { act: 'person.signed_in', object_id: id, person_id: id, details: { by: 'invitation' } },
    { act: 'invitation.accepted', object_id: body.id, details: { person_id: id } },
    { act: 'person.created', object_id: id },
    { act: 'invitation.created', object_id: body.id, details: { role: 'SUPPORT' } },
  ])
})

test('only one of several concurrent requests with the same link succeeds, and the link is then invalid', async () => {
  const { secret } = await invite(await switchyard.newOrganization())
  const accept = () => switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })

  const responses = await Promise.all([accept(), accept(), accept()])

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
  expect((await switchyard.openBrowser().post('/invitations/look', { secret })).status).toBe(404)
})

test('a link is valid for seven days, and the invitation is then shown as expired', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await invite(organization)

  switchyard.clock.advance({ days: 7 })

  expect((await switchyard.openBrowser().post('/invitations/look', { secret })).status).toBe(404)
  expect((await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })).status).toBe(404)
  const { body } = await apiCaller(organization)('GET', '/invitations')
  expect(body.data[0].status).toBe('expired')
})

test('the link of a revoked invitation is invalid, and an accepted invitation cannot be revoked', async () => {
  const organization = await switchyard.newOrganization()
  const call = apiCaller(organization)
  const [first, second] = [await invite(organization), await invite(organization)]
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: second.secret })

  const revoked = await call('POST', `/invitations/${first.body.id}/revoke`)
  const repeated = await call('POST', `/invitations/${first.body.id}/revoke`)
  const afterAcceptance = await call('POST', `/invitations/${second.body.id}/revoke`)

  expect([revoked.body.status, repeated.body.status]).toEqual(['revoked', 'revoked'])
  expect(afterAcceptance).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'accepted' },
  })
  expect(
    (await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: first.secret })).status,
  ).toBe(404)
})

test('a new invitation for the same email address replaces the previous one', async () => {
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

test('the email address of a member cannot be invited again', async () => {
  const organization = await switchyard.newOrganization()
  const { email, secret } = await invite(organization)
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })

  expect(await invite(organization, { email })).toMatchObject({ status: 409, body: { code: 'email_taken' } })
})

test('an email address belongs to one person across all organizations', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const otherInvitation = await invite(theirs)
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: otherInvitation.secret })
  const ownInvitation = await invite(ours, { email: otherInvitation.email })

  const response = await switchyard
    .openBrowser()
    .post('/invitations/accept', { ...guest, secret: ownInvitation.secret })

  // Only the recipient of the invitation learns that the email address is used in another organization.
  expect(ownInvitation.status).toBe(201)
  expect(response).toMatchObject({ status: 409, body: { code: 'email_taken' } })
})

test('invitations of another organization are not listed and cannot be revoked', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const { body } = await invite(theirs)

  expect((await apiCaller(ours)('GET', '/invitations')).body.data).toEqual([])
  expect((await apiCaller(ours)('POST', `/invitations/${body.id}/revoke`)).status).toBe(404)
})

test('the response to a repeated request does not contain the link', async () => {
  const organization = await switchyard.newOrganization()
  const input = { email: 'repeat@example.com', role: 'SUPPORT' }
  const call = () => apiCaller(organization)('POST', '/invitations', input, { 'idempotency-key': 'invite' })

  const [first, second] = [await call(), await call()]

  expect(first.body.url).toContain('/join#')
  expect(second.body).toEqual({ ...first.body, url: null })
})

test('a short password is rejected, and the link stays valid', async () => {
  const { secret } = await invite(await switchyard.newOrganization())
  const browser = switchyard.openBrowser()

  const short = await browser.post('/invitations/accept', { ...guest, secret, password: 'elevenchars' })

  expect(short).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/password', code: 'too_short' }] },
  })
  expect((await browser.post('/invitations/accept', { ...guest, secret })).status).toBe(200)
})

/** Creates an invitation as a person who is signed in to the dashboard. */
async function invitationByPerson(organization: Organization) {
  const { organizationId, live } = organization
  const location = { organizationId, workspaceId: live.workspaceId }
  const person = await createTestPerson(switchyard.deps, location, { role: 'ADMIN' })
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
  'invitations of a person who is %s are revoked, and those of others stay valid',
  async (_, method, path, body) => {
    const organization = await switchyard.newOrganization()
    const call = apiCaller(organization)
    const ours = await invite(organization)
    const theirs = await invitationByPerson(organization)
    const invitationStatus = async (secret: string) =>
      (await switchyard.openBrowser().post('/invitations/look', { secret })).status
    expect(await invitationStatus(theirs.secret)).toBe(200)

    await call(method, `/people/${theirs.person.id}${path}`, body)

    expect([await invitationStatus(theirs.secret), await invitationStatus(ours.secret)]).toEqual([404, 200])
    const accepted = await switchyard.openBrowser().post('/invitations/accept', {
      ...guest,
      secret: theirs.secret,
    })
    expect(accepted.status).toBe(404)
    const { body: audit } = await call('GET', '/audit-entries?limit=2')
    expect(audit.data).toMatchObject([{}, { act: 'invitation.revoked', object_id: theirs.id }])
  },
)

test('a person who accepted an invitation keeps access when the sender is deactivated', async () => {
  const organization = await switchyard.newOrganization()
  const { person, secret } = await invitationByPerson(organization)
  const browser = switchyard.openBrowser()
  await browser.post('/invitations/accept', { ...guest, secret })

  await apiCaller(organization)('POST', `/people/${person.id}/deactivate`)

  expect((await browser.get('/session')).status).toBe(200)
})

test('the secret of an invitation is not accepted in the path', async () => {
  const { secret } = await invite(await switchyard.newOrganization())
  const browser = switchyard.openBrowser()

  expect((await browser.get(`/invitations/${secret}`)).body).not.toHaveProperty('email')
  expect((await browser.post(`/invitations/${secret}`, guest)).status).toBe(404)
})

test('attempts to accept an invitation are rate limited, even with a valid link', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const otherInvitation = await invite(theirs)
  await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret: otherInvitation.secret })
  const { secret } = await invite(ours, { email: otherInvitation.email })
  const statuses: number[] = []
  for (let nth = 0; nth < 32; nth += 1) {
    const response = await switchyard.openBrowser().post('/invitations/accept', { ...guest, secret })
    statuses.push(response.status)
  }

  expect(new Set(statuses)).toEqual(new Set([409, 429]))
})

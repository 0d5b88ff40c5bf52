/** The dashboard routes for signing in and for managing one's own account. */
import type { Deps } from '../../../deps.ts'
import type { Mode } from '../../../kernel/id.ts'
import { networksOf } from '../../../kernel/network.ts'
import type {
  DashboardRequest,
  DashboardResponse,
  DashboardRoute,
} from '../../../platform/http/dashboard-routes.ts'
import type { PageCookie } from '../../../platform/http/page-cookies.ts'
import type { DashboardClient } from './dashboard-client.ts'
import { deviceSeconds } from './device.ts'
import * as schema from './schema.ts'
import * as account from './service/account.ts'
import {
  describeSession,
  issueToken,
  requireSession,
  requireSessionWithoutExtending,
  type SignedInSession,
} from './service/current-session.ts'
import * as passkeys from './service/passkeys.ts'
import { presentListedSession, presentSession } from './service/present.ts'
import { beginTotp, confirmSecondFactor, removeSecondFactor } from './service/second-factor.ts'
import {
  type CompletedSignIn,
  joinOrganization,
  readInvitation,
  signInWithLink,
  signInWithPassword,
} from './service.ts'

export const signInRoutes = (deps: Deps): readonly DashboardRoute[] => [
  ...signInMethods(deps),
  ...invitationRoutes(deps),
  ...sessionRoutes(deps),
  ...accountRoutes(deps),
  ...passkeyRoutes(deps),
]

/** Sign-in with a password or a link. */
const signInMethods = (deps: Deps): DashboardRoute[] => [
  {
    method: 'POST',
    path: '/session',
    bodySchema: schema.SignIn,
    handle: async (request) =>
      signedInResponse(
        deps,
        await signInWithPassword(deps, clientOf(request), request.input as schema.SignIn),
      ),
  },
  {
    method: 'POST',
    path: '/session/link',
    bodySchema: schema.UseLink,
    handle: async (request) => {
      const { secret } = request.input as schema.UseLink
      return signedInResponse(deps, await signInWithLink(deps, clientOf(request), secret))
    },
  },
]

/** For people who accept an invitation. */
const invitationRoutes = (deps: Deps): DashboardRoute[] => [
  {
    method: 'POST',
    path: '/invitations/look',
    bodySchema: schema.ReadInvitation,
    handle: async (request) => {
      const { secret } = request.input as schema.ReadInvitation
      const { invitation, organization } = await readInvitation(deps, clientOf(request), secret)
      const { email, role, expiresAt } = invitation
      return { body: { email, organization, role, expires_at: expiresAt.toISOString() } }
    },
  },
  {
    method: 'POST',
    path: '/invitations/accept',
    bodySchema: schema.AcceptInvitation,
    handle: async (request) => {
      const input = request.input as schema.AcceptInvitation
      return signedInResponse(deps, await joinOrganization(deps, clientOf(request), input))
    },
  },
]

const sessionRoutes = (deps: Deps): DashboardRoute[] => [
  { method: 'GET', path: '/session', handle: withSession(deps, (current) => sessionBody(deps, current)) },
  {
    method: 'DELETE',
    path: '/session',
    handle: async (request) => {
      const client = clientOf(request)
      await account.signOut(deps, client, await requireSession(deps, client))
      return { sessionCookie: null }
    },
  },
  {
    method: 'GET',
    path: '/sessions',
    handle: withSession(deps, async ({ person, session }) => {
      const sessions = await account.listSessions(deps, person.id)
      return { data: sessions.map((listed) => presentListedSession(listed, session)) }
    }),
  },
  {
    method: 'DELETE',
    path: '/sessions',
    handle: async (request) => {
      const client = clientOf(request)
      await account.signOutEverywhere(deps, client, await requireSession(deps, client))
      return { sessionCookie: null }
    },
  },
  {
    method: 'DELETE',
    path: '/sessions/:session_id',
    handle: withSession(deps, (current, client, { params }) =>
      account.signOutOf(deps, client, current, params.session_id ?? ''),
    ),
  },
  {
    method: 'POST',
    path: '/session/token',
    bodySchema: schema.RequestToken,
    handle: async (request) => {
      const { workspace_id, is_active = true } = request.input as schema.RequestToken
      const issue: SessionHandler = async (current) => {
        const { token, expiresAt } = await issueToken(deps, current, workspace_id)
        return { token, expires_at: expiresAt.toISOString() }
      }
      return withSession(deps, issue, is_active ? requireSession : requireSessionWithoutExtending)(request)
    },
  },
]

const accountRoutes = (deps: Deps): DashboardRoute[] => [
  {
    method: 'POST',
    path: '/session/totp',
    bodySchema: schema.Proof,
    handle: withSession(deps, (current, client, { input }) =>
      beginTotp(deps, client, current, input as schema.Proof),
    ),
  },
  {
    method: 'POST',
    path: '/session/totp/confirm',
    bodySchema: schema.ConfirmTotp,
    handle: withSession(deps, async (current, client, { input }) => {
      const { code } = input as schema.ConfirmTotp
      return { recovery_codes: await confirmSecondFactor(deps, client, current, code) }
    }),
  },
  {
    method: 'DELETE',
    path: '/session/totp',
    bodySchema: schema.RemoveTotp,
    handle: withSession(deps, (current, client, { input }) =>
      removeSecondFactor(deps, client, current, (input as schema.RemoveTotp).password),
    ),
  },
  {
    method: 'PUT',
    path: '/session/password',
    bodySchema: schema.ChangePassword,
    handle: withSession(deps, async (current, client, { input, setSessionCookie, setDeviceCookie }) => {
      const passwords = input as schema.ChangePassword
      const { secret, device } = await account.changePassword(deps, client, current, passwords)
      setSessionCookie(cookieOf(current, secret))
      setDeviceCookie({ secret: device, maxAgeSeconds: deviceSeconds })
    }),
  },
  {
    method: 'PUT',
    path: '/session/person',
    bodySchema: schema.ChangeName,
    handle: withSession(deps, async (current, client, { input }) => {
      const person = await account.changeName(deps, client, current, (input as schema.ChangeName).name)
      return sessionBody(deps, { ...current, person })
    }),
  },
]

const passkeyRoutes = (deps: Deps): DashboardRoute[] => [
  {
    method: 'POST',
    path: '/session/passkey-options',
    handle: async () => ({ body: await passkeys.beginPasskeySignIn(deps) }),
  },
  {
    method: 'POST',
    path: '/session/passkey',
    bodySchema: schema.UsePasskey,
    handle: async (request) => {
      const credential = request.input as schema.UsePasskey
      return signedInResponse(deps, await passkeys.signInWithPasskey(deps, clientOf(request), credential))
    },
  },
  {
    method: 'POST',
    path: '/session/passkeys/options',
    bodySchema: schema.Proof,
    handle: withSession(deps, (current, _, { input }) =>
      passkeys.beginPasskey(deps, current, input as schema.Proof),
    ),
  },
  {
    method: 'POST',
    path: '/session/passkeys',
    bodySchema: schema.AddPasskey,
    handle: withSession(deps, async (current, client, { input }) =>
      schema.presentPasskey(await passkeys.addPasskey(deps, client, current, input as schema.AddPasskey)),
    ),
  },
  {
    method: 'DELETE',
    path: '/session/passkeys/:passkey_id',
    bodySchema: schema.Proof,
    handle: withSession(deps, (current, client, { params, input }) => {
      const removal = { ...(input as schema.Proof), id: params.passkey_id ?? '' }
      return passkeys.removePasskey(deps, client, current, removal)
    }),
  },
]

type SessionHandler = (
  current: SignedInSession,
  client: DashboardClient,
  request: DashboardRequest,
) => Promise<unknown>

/** Requires a session. A renewed secret is sent as a cookie even if the response is an error. */
function withSession(deps: Deps, handler: SessionHandler, find = requireSession): DashboardRoute['handle'] {
  return async (request) => {
    const client = clientOf(request)
    const current = await find(deps, client)
    if (current.newSecret !== null) request.setSessionCookie(cookieOf(current, current.newSecret))
    const body = await handler(current, client, request)
    return body === undefined ? {} : { body: body as object }
  }
}

function cookieOf({ session, now }: SignedInSession, secret: string): PageCookie {
  return { secret, maxAgeSeconds: Math.floor((session.expiresAt.getTime() - now.getTime()) / 1000) }
}

async function signedInResponse(
  deps: Deps,
  { session, person, secret, device }: CompletedSignIn,
): Promise<DashboardResponse> {
  const maxAgeSeconds = Math.floor((session.expiresAt.getTime() - session.createdAt.getTime()) / 1000)
  return {
    body: await sessionBody(deps, { session, person }),
    sessionCookie: { secret, maxAgeSeconds },
    deviceCookie: { secret: device, maxAgeSeconds: deviceSeconds },
  }
}

async function sessionBody(
  deps: Deps,
  current: Pick<SignedInSession, 'session' | 'person'>,
): Promise<object> {
  const addressOf = (mode: Mode) => deps.addresses[mode]
  return presentSession(await describeSession(deps, current), addressOf)
}

function clientOf({
  sessionSecret,
  deviceSecret,
  address,
  userAgent,
  requestId,
}: DashboardRequest): DashboardClient {
  return { sessionSecret, deviceSecret, address, networks: networksOf(address), userAgent, requestId }
}

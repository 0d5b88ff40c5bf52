/** The doors of the dashboard, by which people sign in and look after themselves. */
import type { Deps } from '../../deps.ts'
import type { Mode } from '../../kernel/id.ts'
import { blockOf } from '../../platform/http/authenticate.ts'
import type { PageAnswer, PageDoor, PageVisit } from '../../platform/http/page-doors.ts'
import type { SessionCookie } from '../../platform/http/session-cookie.ts'
import * as schema from './schema.ts'
import * as account from './service/account.ts'
import * as passkeys from './service/passkeys.ts'
import { presentListed, presentSession } from './service/present.ts'
import { beginTotp, confirmSecondFactor, removeSecondFactor } from './service/second-factor.ts'
import { describeSession, issueToken, requireGlance, requireVisit, type Visit } from './service/visits.ts'
import { type Entered, join, readInvitation, signInWithLink, signInWithPassword } from './service.ts'
import type { Visitor } from './visitor.ts'

export const signInDoors = (deps: Deps): readonly PageDoor[] => [
  ...entrances(deps),
  ...invitationDoors(deps),
  ...sessionDoors(deps),
  ...accountDoors(deps),
  ...passkeyDoors(deps),
]

/** For whoever is not signed in yet. */
const entrances = (deps: Deps): PageDoor[] => [
  {
    method: 'POST',
    path: '/session',
    takes: schema.SignIn,
    open: async (visit) =>
      welcome(deps, await signInWithPassword(deps, visitorOf(visit), visit.input as schema.SignIn)),
  },
  {
    method: 'POST',
    path: '/session/link',
    takes: schema.FollowLink,
    open: async (visit) => {
      const { secret } = visit.input as schema.FollowLink
      return welcome(deps, await signInWithLink(deps, visitorOf(visit), secret))
    },
  },
]

/** For whoever was invited. */
const invitationDoors = (deps: Deps): PageDoor[] => [
  {
    method: 'POST',
    path: '/invitations/look',
    takes: schema.LookAtInvitation,
    open: async (visit) => {
      const { secret } = visit.input as schema.LookAtInvitation
      const { invitation, organization } = await readInvitation(deps, visitorOf(visit), secret)
      const { email, role, expiresAt } = invitation
      return { body: { email, organization, role, expires_at: expiresAt.toISOString() } }
    },
  },
  {
    method: 'POST',
    path: '/invitations/accept',
    takes: schema.AcceptInvitation,
    open: async (visit) => {
      const input = visit.input as schema.AcceptInvitation
      return welcome(deps, await join(deps, visitorOf(visit), input))
    },
  },
]

const sessionDoors = (deps: Deps): PageDoor[] => [
  { method: 'GET', path: '/session', open: signedIn(deps, (visit) => sessionOf(deps, visit)) },
  {
    method: 'DELETE',
    path: '/session',
    open: async (visit) => {
      const visitor = visitorOf(visit)
      await account.signOut(deps, visitor, await requireVisit(deps, visitor))
      return { cookie: null }
    },
  },
  {
    method: 'GET',
    path: '/sessions',
    open: signedIn(deps, async ({ person, session }) => {
      const all = await account.listSessions(deps, person.id)
      return { data: all.map((one) => presentListed(one, session)) }
    }),
  },
  {
    method: 'DELETE',
    path: '/sessions',
    open: async (visit) => {
      const visitor = visitorOf(visit)
      await account.signOutEverywhere(deps, visitor, await requireVisit(deps, visitor))
      return { cookie: null }
    },
  },
  {
    method: 'DELETE',
    path: '/sessions/:session_id',
    open: signedIn(deps, (visit, visitor, { params }) =>
      account.signOutOf(deps, visitor, visit, params.session_id ?? ''),
    ),
  },
  {
    method: 'POST',
    path: '/session/token',
    takes: schema.AskToken,
    open: async (page) => {
      const { workspace_id, is_active = true } = page.input as schema.AskToken
      const give: Act = async (visit) => {
        const { token, expiresAt } = await issueToken(deps, visit, workspace_id)
        return { token, expires_at: expiresAt.toISOString() }
      }
      return signedIn(deps, give, is_active ? requireVisit : requireGlance)(page)
    },
  },
]

const accountDoors = (deps: Deps): PageDoor[] => [
  {
    method: 'POST',
    path: '/session/totp',
    takes: schema.Proof,
    open: signedIn(deps, (visit, visitor, { input }) =>
      beginTotp(deps, visitor, visit, input as schema.Proof),
    ),
  },
  {
    method: 'POST',
    path: '/session/totp/confirm',
    takes: schema.ConfirmTotp,
    open: signedIn(deps, async (visit, visitor, { input }) => {
      const { code } = input as schema.ConfirmTotp
      return { recovery_codes: await confirmSecondFactor(deps, visitor, visit, code) }
    }),
  },
  {
    method: 'DELETE',
    path: '/session/totp',
    takes: schema.RemoveTotp,
    open: signedIn(deps, (visit, visitor, { input }) =>
      removeSecondFactor(deps, visitor, visit, (input as schema.RemoveTotp).password),
    ),
  },
  {
    method: 'PUT',
    path: '/session/password',
    takes: schema.ChangePassword,
    open: signedIn(deps, async (visit, visitor, { input, keepCookie }) => {
      const secret = await account.changePassword(deps, visitor, visit, input as schema.ChangePassword)
      keepCookie(cookieOf(visit, secret))
    }),
  },
  {
    method: 'PUT',
    path: '/session/person',
    takes: schema.ChangeName,
    open: signedIn(deps, async (visit, visitor, { input }) => {
      const person = await account.changeName(deps, visitor, visit, (input as schema.ChangeName).name)
      return sessionOf(deps, { ...visit, person })
    }),
  },
]

const passkeyDoors = (deps: Deps): PageDoor[] => [
  {
    method: 'POST',
    path: '/session/passkey-options',
    open: async () => ({ body: await passkeys.beginPasskeySignIn(deps) }),
  },
  {
    method: 'POST',
    path: '/session/passkey',
    takes: schema.UsePasskey,
    open: async (visit) => {
      const credential = visit.input as schema.UsePasskey
      return welcome(deps, await passkeys.signInWithPasskey(deps, visitorOf(visit), credential))
    },
  },
  {
    method: 'POST',
    path: '/session/passkeys/options',
    takes: schema.Proof,
    open: signedIn(deps, (visit, visitor, { input }) =>
      passkeys.beginPasskey(deps, visitor, visit, input as schema.Proof),
    ),
  },
  {
    method: 'POST',
    path: '/session/passkeys',
    takes: schema.AddPasskey,
    open: signedIn(deps, async (visit, visitor, { input }) =>
      schema.presentPasskey(await passkeys.addPasskey(deps, visitor, visit, input as schema.AddPasskey)),
    ),
  },
  {
    method: 'DELETE',
    path: '/session/passkeys/:passkey_id',
    takes: schema.Proof,
    open: signedIn(deps, (visit, visitor, { params, input }) => {
      const wish = { ...(input as schema.Proof), id: params.passkey_id ?? '' }
      return passkeys.removePasskey(deps, visitor, visit, wish)
    }),
  },
]

type Act = (visit: Visit, visitor: Visitor, page: PageVisit) => Promise<unknown>

/** For whoever is signed in. A secret that was drawn anew leaves with the answer, also with one that refuses. */
function signedIn(deps: Deps, act: Act, find = requireVisit): PageDoor['open'] {
  return async (page) => {
    const visitor = visitorOf(page)
    const visit = await find(deps, visitor)
    if (visit.newSecret !== null) page.keepCookie(cookieOf(visit, visit.newSecret))
    const body = await act(visit, visitor, page)
    return body === undefined ? {} : { body: body as object }
  }
}

function cookieOf({ session, now }: Visit, secret: string): SessionCookie {
  return { secret, maxAgeSeconds: Math.floor((session.expiresAt.getTime() - now.getTime()) / 1000) }
}

async function welcome(deps: Deps, { session, person, secret }: Entered): Promise<PageAnswer> {
  const maxAgeSeconds = Math.floor((session.expiresAt.getTime() - session.createdAt.getTime()) / 1000)
  return { body: await sessionOf(deps, { session, person }), cookie: { secret, maxAgeSeconds } }
}

async function sessionOf(deps: Deps, visit: Pick<Visit, 'session' | 'person'>): Promise<object> {
  const addressOf = (mode: Mode) => deps.addresses[mode]
  return presentSession(await describeSession(deps, visit), addressOf)
}

function visitorOf({ secret, address, userAgent, requestId }: PageVisit): Visitor {
  return { secret, address, network: blockOf(address), userAgent, requestId }
}

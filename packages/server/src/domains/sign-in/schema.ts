/** What the doors of the dashboard take and answer. They are no part of the document of the API. */
import { type Static, Type } from 'typebox'
import type { Passkey } from './passkey.ts'

const strict = { additionalProperties: false }
const email = Type.String({ minLength: 3, maxLength: 254 })
const anyPassword = Type.String({ minLength: 1, maxLength: 200 })
/** Long enough that it cannot be guessed, and not so long that hashing it is work. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 200 })
export const PersonName = Type.String({ minLength: 1, maxLength: 200 })
const code = Type.String({ minLength: 6, maxLength: 40 })
const secret = Type.String({ minLength: 20, maxLength: 100 })

export const SignIn = Type.Object({ email, password: anyPassword, code: Type.Optional(code) }, strict)
export type SignIn = Static<typeof SignIn>

export const FollowLink = Type.Object({ secret }, strict)
export type FollowLink = Static<typeof FollowLink>

export const AskToken = Type.Object(
  {
    workspace_id: Type.String({ maxLength: 100 }),
    /** False if the page asks by itself: then the session goes on being idle. */
    is_active: Type.Optional(Type.Boolean()),
  },
  strict,
)
export type AskToken = Static<typeof AskToken>

export const ConfirmTotp = Type.Object({ code }, strict)
export type ConfirmTotp = Static<typeof ConfirmTotp>

/** Who one is, proven again; without it the session has to be new. */
export const Proof = Type.Object({ password: Type.Optional(anyPassword) }, strict)
export type Proof = Static<typeof Proof>

export const RemoveTotp = Type.Object({ password: anyPassword }, strict)
export type RemoveTotp = Static<typeof RemoveTotp>

export const ChangePassword = Type.Object({ current: anyPassword, password: NewPassword }, strict)
export type ChangePassword = Static<typeof ChangePassword>

export const ChangeName = Type.Object({ name: PersonName }, strict)
export type ChangeName = Static<typeof ChangeName>

/** In the body and not in the path: paths stand in the logs of whatever is in between. */
export const LookAtInvitation = Type.Object({ secret }, strict)
export type LookAtInvitation = Static<typeof LookAtInvitation>

export const AcceptInvitation = Type.Object({ secret, name: PersonName, password: NewPassword }, strict)
export type AcceptInvitation = Static<typeof AcceptInvitation>

/** As a browser wrote it; whoever verifies it reads it closely. */
const Credential = Type.Unsafe<{ readonly id: string }>({
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', minLength: 1, maxLength: 2_000 } },
})

export const AddPasskey = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100 }), credential: Credential },
  strict,
)
export type AddPasskey = Static<typeof AddPasskey>

export const UsePasskey = Credential
export type UsePasskey = Static<typeof UsePasskey>

/** What is shown of a passkey. */
export function presentPasskey({ id, name, createdAt, lastUsedAt }: Passkey) {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}

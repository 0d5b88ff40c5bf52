/** The request and response schemas of the dashboard routes, which are not part of the OpenAPI document. */
import { type Static, Type } from 'typebox'
import type { Passkey } from './passkey.ts'

const strict = { additionalProperties: false }
const email = Type.String({ minLength: 3, maxLength: 254 })
const anyPassword = Type.String({ minLength: 1, maxLength: 200 })
/** The maximum length limits the cost of hashing. */
export const NewPassword = Type.String({ minLength: 12, maxLength: 200 })
export const PersonName = Type.String({ minLength: 1, maxLength: 200 })
const code = Type.String({ minLength: 6, maxLength: 40 })
const secret = Type.String({ minLength: 20, maxLength: 100 })

export const SignIn = Type.Object({ email, password: anyPassword, code: Type.Optional(code) }, strict)
export type SignIn = Static<typeof SignIn>

export const UseLink = Type.Object({ secret }, strict)
export type UseLink = Static<typeof UseLink>

export const RequestToken = Type.Object(
  {
    workspace_id: Type.String({ maxLength: 100 }),
    /** False if the page requests the token automatically: the request does not extend the session. */
    is_active: Type.Optional(Type.Boolean()),
  },
  strict,
)
export type RequestToken = Static<typeof RequestToken>

export const ConfirmTotp = Type.Object({ code }, strict)
export type ConfirmTotp = Static<typeof ConfirmTotp>

/** The password of the signed-in person. It can be omitted if the session is new. */
export const Proof = Type.Object({ password: Type.Optional(anyPassword) }, strict)
export type Proof = Static<typeof Proof>

export const RemoveTotp = Type.Object({ password: anyPassword }, strict)
export type RemoveTotp = Static<typeof RemoveTotp>

export const ChangePassword = Type.Object({ current: anyPassword, password: NewPassword }, strict)
export type ChangePassword = Static<typeof ChangePassword>

export const ChangeName = Type.Object({ name: PersonName }, strict)
export type ChangeName = Static<typeof ChangeName>

/** The secret is in the body and not in the path, because proxies log paths. */
export const ReadInvitation = Type.Object({ secret }, strict)
export type ReadInvitation = Static<typeof ReadInvitation>

export const AcceptInvitation = Type.Object({ secret, name: PersonName, password: NewPassword }, strict)
export type AcceptInvitation = Static<typeof AcceptInvitation>

/** A credential as the browser sent it. The other members are validated when it is verified. */
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

export function presentPasskey({ id, name, createdAt, lastUsedAt }: Passkey) {
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}

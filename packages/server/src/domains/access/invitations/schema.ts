import { type Static, Type } from 'typebox'
import { roles } from '../../../kernel/caller.ts'
import { CreatedAt, IdOf, nullable, OneOf, Time, UpdatedAt } from '../../../kernel/shapes.ts'
import { type Invitation, shownStatuses, statusAt } from './invitation.ts'

const email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Email address that the person will sign in with.',
  examples: ['grace@example.com'],
})
const role = OneOf(roles, { description: 'Role of the person in every workspace.' })

const members = {
  id: IdOf('invitation'),
  object: Type.Literal('invitation'),
  email,
  role,
  status: OneOf(shownStatuses, { description: 'Only the link of a `pending` invitation is valid.' }),
  person_id: nullable(IdOf('person', 'Person who accepted the invitation. Null if it was not accepted.')),
  expires_at: { ...Time, description: 'Expiry time of the link.' },
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const InvitationObject = Type.Object(members, {
  $id: 'Invitation',
  description: 'An invitation for a person to join the organization.',
})

export const ShownInvitationObject = Type.Object(
  {
    ...members,
    url: nullable(
      Type.String({
        description: 'Invitation link. It is returned only once: null if the request is repeated.',
      }),
    ),
  },
  {
    $id: 'ShownInvitation',
    description: 'An invitation with its link. No other response contains the link.',
  },
)

export const InvitationPath = Type.Object({ invitation_id: IdOf('invitation') })

export const CreateInvitation = Type.Object({ email, role }, { additionalProperties: false })
export type CreateInvitation = Static<typeof CreateInvitation>

/** An invitation and the time for which its status is computed. */
export type InvitationAtTime = { readonly invitation: Invitation; readonly now: Date }

export function present({ invitation, now }: InvitationAtTime): Static<typeof InvitationObject> {
  return {
    id: invitation.id,
    object: 'invitation',
    email: invitation.email,
    role: invitation.role,
    status: statusAt(invitation, now),
    person_id: invitation.personId,
    expires_at: invitation.expiresAt.toISOString(),
    created_at: invitation.createdAt.toISOString(),
    updated_at: invitation.updatedAt.toISOString(),
  }
}

export function presentShown(
  created: InvitationAtTime & { readonly url: string },
): Static<typeof ShownInvitationObject> {
  return { ...present(created), url: created.url }
}

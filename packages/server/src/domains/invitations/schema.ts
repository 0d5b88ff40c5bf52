import { type Static, Type } from 'typebox'
import { roles } from '../../kernel/caller.ts'
import { IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { type Invitation, shownStatuses, statusAt } from './invitation.ts'

const email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'The address the person will sign in with.',
  examples: ['grace@example.com'],
})
const role = OneOf(roles, { description: 'What the person will be allowed to do, in every workspace.' })

const members = {
  id: IdOf('invitation'),
  object: Type.Literal('invitation'),
  email,
  role,
  status: OneOf(shownStatuses, { description: 'Only the link of one that is `pending` opens something.' }),
  person_id: nullable(IdOf('person', 'Who came by it.')),
  expires_at: Time,
  created_at: Time,
  updated_at: Time,
}

export const InvitationObject = Type.Object(members, {
  $id: 'Invitation',
  description: 'A way in for a person who is not in the organization yet.',
})

export const ShownInvitationObject = Type.Object(
  {
    ...members,
    url: nullable(
      Type.String({
        description: 'The link to send. It is shown this once; a repeat of the request answers null.',
      }),
    ),
  },
  { $id: 'ShownInvitation', description: 'An invitation with its link, which no later answer shows.' },
)

export const InvitationPath = Type.Object({ invitation_id: IdOf('invitation') })

export const CreateInvitation = Type.Object({ email, role }, { additionalProperties: false })
export type CreateInvitation = Static<typeof CreateInvitation>

/** An invitation and the instant at which it is shown. */
export type Looked = { readonly invitation: Invitation; readonly now: Date }

export function present({ invitation, now }: Looked): Static<typeof InvitationObject> {
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

export function presentShown(shown: Looked & { readonly url: string }): Static<typeof ShownInvitationObject> {
  return { ...present(shown), url: shown.url }
}

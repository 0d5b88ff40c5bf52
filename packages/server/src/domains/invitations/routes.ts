import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import {
  CreateInvitation,
  InvitationObject,
  InvitationPath,
  present,
  presentShown,
  ShownInvitationObject,
} from './schema.ts'
import { createInvitation, listInvitations, revokeInvitation } from './service.ts'

export const invitationOperations = (deps: Deps) => [
  operation({
    id: 'invitations.create',
    method: 'POST',
    path: '/invitations',
    summary: 'Invite a person',
    description:
      'The link is in the answer, this once; send it to the person. It opens once, within seven days. A new invitation for the same address takes the place of the one before.',
    body: CreateInvitation,
    status: 201,
    answer: ShownInvitationObject,
    shownOnce: ['url'],
    refuses: ['email_taken', 'live_mode_only', 'conflict'],
    limit: { perMinute: 60 },
    present: presentShown,
    verb: ({ caller, body }) => createInvitation(deps, caller, body),
  }),
  operation({
    id: 'invitations.list',
    method: 'GET',
    path: '/invitations',
    summary: 'List invitations',
    description: 'Newest first, also those that were accepted, revoked or have expired.',
    query: PageQuery({}),
    answer: PageOf(InvitationObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/invitations', present),
    verb: ({ caller, query }) => listInvitations(deps, caller, rangeOf('invitation', caller.mode, query)),
  }),
  operation({
    id: 'invitations.revoke',
    method: 'POST',
    path: '/invitations/:invitation_id/revoke',
    summary: 'Revoke an invitation',
    description: 'Its link opens nothing any more. Repeating it answers the same.',
    params: InvitationPath,
    answer: InvitationObject,
    refuses: ['not_found', 'invalid_state', 'live_mode_only', 'conflict'],
    present,
    verb: ({ caller, params }) => revokeInvitation(deps, caller, params.invitation_id),
  }),
]

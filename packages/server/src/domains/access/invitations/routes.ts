import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
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
      'Returns the invitation link only once, in this response; send it to the person. It can be used once, within seven days. A new invitation for the same email address replaces the previous one.',
    body: CreateInvitation,
    status: 201,
    response: ShownInvitationObject,
    shownOnce: ['url'],
    errors: ['email_taken', 'live_mode_only', 'conflict'],
    limit: { perMinute: 60 },
    present: presentShown,
    handle: ({ caller, body }) => createInvitation(deps, caller, body),
  }),
  operation({
    id: 'invitations.list',
    method: 'GET',
    path: '/invitations',
    summary: 'List invitations',
    description: 'Returns invitations, newest first, including accepted, revoked and expired ones.',
    query: PageQuery({}),
    response: PageOf(InvitationObject),
    errors: ['invalid_cursor'],
    present: presentPage('/invitations', present),
    handle: ({ caller, query }) => listInvitations(deps, caller, rangeOf('invitation', caller.mode, query)),
  }),
  operation({
    id: 'invitations.revoke',
    method: 'POST',
    path: '/invitations/:invitation_id/revoke',
    summary: 'Revoke an invitation',
    description: 'Invalidates the invitation link. Repeated calls return the same result.',
    params: InvitationPath,
    response: InvitationObject,
    errors: ['not_found', 'invalid_state', 'live_mode_only', 'conflict'],
    present,
    handle: ({ caller, params }) => revokeInvitation(deps, caller, params.invitation_id),
  }),
]

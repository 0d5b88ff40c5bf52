import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import type { PublicRoute } from '../../../platform/http/public-routes.ts'
import {
  ListMails,
  MailObject,
  MailPath,
  MailPreviewObject,
  MailSettingsObject,
  MailWithContentObject,
  PreviewMail,
  present,
  presentPreview,
  presentSettings,
  presentWithContent,
  UpdateMailSettings,
} from './schema.ts'
import { receiveMailEvents } from './service/receive-bounce.ts'
import {
  getMail,
  getMailSettings,
  listMails,
  type MailPreviewInput,
  type MailSettingsInput,
  previewMail,
  updateMailSettings,
} from './service.ts'

/** Mail services report here. They have no token: each adapter authenticates its reports. */
export const mailEventRoutes = (deps: Deps): readonly PublicRoute[] => [
  {
    method: 'POST',
    path: '/mail-events/:adapter',
    handle: async ({ mode, params, headers, body }) => {
      await receiveMailEvents(deps, params.adapter ?? '', { mode, headers, body })
      return { kind: 'json', body: { received: true } }
    },
  },
]

export const mailOperations = (deps: Deps) => [
  operation({
    id: 'mails.list',
    method: 'GET',
    path: '/mails',
    summary: 'List e-mails',
    description: 'Returns e-mails to payers, newest first. Can be filtered by customer and by status.',
    query: PageQuery(ListMails),
    response: PageOf(MailObject),
    errors: ['invalid_cursor'],
    present: presentPage('/mails', present),
    handle: ({ caller, query }) => listMails(deps, caller, rangeOf('mail', caller.mode, query), query),
  }),
  operation({
    id: 'mails.get',
    method: 'GET',
    path: '/mails/:mail_id',
    summary: 'Get an e-mail',
    description: 'Returns an e-mail with its content.',
    params: MailPath,
    response: MailWithContentObject,
    errors: ['not_found'],
    present: presentWithContent,
    handle: ({ caller, params }) => getMail(deps, caller, params.mail_id),
  }),
  operation({
    id: 'mail_settings.get',
    method: 'GET',
    path: '/mail-settings',
    summary: 'Get the e-mail settings',
    description:
      'Returns the sender name, the address for replies, which kinds of e-mails are sent, and changed wording.',
    response: MailSettingsObject,
    present: presentSettings,
    handle: ({ caller }) => getMailSettings(deps, caller),
  }),
  operation({
    id: 'mail_settings.update',
    method: 'PUT',
    path: '/mail-settings',
    summary: 'Update the e-mail settings',
    description:
      'Omitted fields are unchanged. A kind that is switched off creates no e-mails; e-mails that are already pending are still sent.',
    body: UpdateMailSettings,
    response: MailSettingsObject,
    present: presentSettings,
    handle: ({ caller, body }) => updateMailSettings(deps, caller, body as MailSettingsInput),
  }),
  operation({
    id: 'mail_settings.preview',
    method: 'POST',
    path: '/mail-settings/preview',
    summary: 'Preview an e-mail',
    description: 'Renders an e-mail with example values and the branding of the workspace. Nothing is sent.',
    body: PreviewMail,
    response: MailPreviewObject,
    present: presentPreview,
    handle: ({ caller, body }) => previewMail(deps, caller, body as MailPreviewInput),
  }),
]

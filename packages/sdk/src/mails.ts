/** E-mails to payers, and their settings. */

import { type List, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function mailsOf(send: Send) {
  const path = '/mails'
  return {
    /** Lists e-mails, optionally to one customer. */
    list: (query?: api.ListMails, options?: CallOptions): List<api.Mail> =>
      paginatedList(send, path, query, options),
    /** Retrieves an e-mail with its content. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.MailWithContent>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
  }
}

export function mailSettingsOf(send: Send) {
  const path = '/mail-settings'
  return {
    /** Retrieves the e-mail settings of the workspace. */
    get: (options?: CallOptions): Promise<Answered<api.MailSettings>> =>
      send({ method: 'GET', path, options }),
    /** Updates the e-mail settings. Omitted fields are unchanged. */
    update: (body: api.UpdateMailSetting, options?: WriteOptions): Promise<Answered<api.MailSettings>> =>
      send({ method: 'PUT', path, body, options }),
    /** Renders an e-mail with example values. Nothing is sent. */
    preview: (body: api.PreviewMailSetting, options?: WriteOptions): Promise<Answered<api.MailPreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
  }
}

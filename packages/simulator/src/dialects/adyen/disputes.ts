/** Adyen's Disputes API, version 30: defense documents, defending and accepting disputes. */
import { type Dispute, findDispute, respond } from '../../disputes.ts'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { isObject } from '../../protocol.ts'
import type { AccountContext } from '../../run-operation.ts'
import { type Account, findObject, saveObject } from '../../simulator-state.ts'
import { invalid, invalidMerchantAccount } from './errors.ts'

export function isDisputeCall({ method, segments }: IncomingCall): boolean {
  return method === 'POST' && segments.slice(0, -1).join('/') === 'ca/services/DisputeService/v30'
}

/** The PSP reference that Adyen assigns to a dispute. */
export const disputePspReference = ({ id }: Dispute) => id.slice(3, 19).toUpperCase()

const result = (success: boolean, errorMessage?: string): Reply => ({
  status: 200,
  body: { disputeServiceResult: { success, ...(errorMessage === undefined ? {} : { errorMessage }) } },
})

export async function handleDisputeCall(
  context: AccountContext,
  { body, segments }: IncomingCall,
): Promise<Reply> {
  const { account, state } = context
  if (!isObject(body)) return invalid('702', 'Unexpected input: expected a JSON object')
  if (typeof body.merchantAccountCode !== 'string') return invalidMerchantAccount
  const dispute = disputeOf(account, String(body.disputePspReference))
  if (dispute === undefined) return result(false, 'The dispute was not found.')
  const reply = await run(context, dispute, { body, path: segments.at(-1) ?? '' })
  return { ...reply, headers: { date: new Date(state.clock.now()).toUTCString() } }
}

type DisputeCall = { readonly body: { readonly [name: string]: unknown }; readonly path: string }

async function run(context: AccountContext, dispute: Dispute, { body, path }: DisputeCall): Promise<Reply> {
  const { account, state } = context
  const documentKey = `document/${dispute.id}`
  if (path === 'supplyDefenseDocument') {
    const [document] = Array.isArray(body.defenseDocuments) ? body.defenseDocuments : []
    if (!isObject(document) || document.defenseDocumentTypeCode !== 'DefenseMaterial')
      return result(false, 'The document type is not valid.')
    saveObject(state, account, documentKey, { contentType: document.contentType })
    return result(true)
  }
  if (path === 'defendDispute' && findObject(account, documentKey) === undefined)
    return result(false, 'The defense needs a document.')
  const status = path === 'defendDispute' ? 'under_review' : 'lost'
  const reply = await respond(context, dispute, { reference: `${path} ${dispute.id}`, status })
  return reply.status === 200 ? result(true) : result(false, 'The dispute can no longer be changed.')
}

function disputeOf(account: Account, pspReference: string): Dispute | undefined {
  const ids = [...account.objects.keys()].flatMap((key) => (key.startsWith('dispute/') ? key.slice(8) : []))
  return ids
    .map((id) => findDispute(account, id))
    .find((dispute) => dispute !== undefined && disputePspReference(dispute) === pspReference)
}

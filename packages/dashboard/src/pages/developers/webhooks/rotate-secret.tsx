/** A new signing secret. How long the earlier one goes on is the time that receivers have to change over. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { RadioField } from '../../../ui/fields.tsx'
import { overlaps } from './overlap.ts'

export function RotateSecret({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [overlap, setOverlap] = useState('86400')
  const body = { overlap_seconds: Number(overlap) }
  return (
    <ActionDialog
      title="Rotate the signing secret"
      intro="A new secret signs at once. Until the overlap ends, every request carries a signature of each, so that a receiver may have either."
      submit="Rotate the secret"
      refused={may('webhook_endpoints.rotate_secret')}
      done="A new secret signs from now on. Show Secret has its text."
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpoint.id}/rotate_secret`,
        body,
        sdk: { method: 'webhookEndpoints.rotateSecret', args: [endpoint.id, body] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.rotateSecret(endpoint.id, body, key)
        await reread('webhook_endpoint', 'audit_entry')
      }}
      onDone={onClose}
    >
      <RadioField
        legend="Earlier secrets go on for"
        value={overlap}
        onChange={setOverlap}
        options={overlaps}
      />
      {overlap === '0' && (
        <p className="text-caution">
          Receivers that still have the earlier secret will refuse what comes next.
        </p>
      )}
    </ActionDialog>
  )
}

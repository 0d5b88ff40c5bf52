/**
 * Shows the signing secret for one minute. It is fetched when the dialog opens, held only in the state of this dialog
 * (no cache, URL or storage), and dropped when the dialog closes.
 */
import { useEffect, useState } from 'react'
import { useApi } from '../../../api/workspace.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorPanel, Skeleton } from '../../../ui/states.tsx'
import { CopyButton } from '../../../ui/values.tsx'

const visibleMs = 60_000

export function ShowSecret({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const api = useApi()
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    api.webhookEndpoints.revealSecret(endpointId, { signal: controller.signal }).then(
      (revealed) => setSecret(revealed.secret),
      (cause) => controller.signal.aborted || setError(cause as Error),
    )
    return () => controller.abort()
  }, [api, endpointId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the minute starts when the secret is loaded.
  useEffect(() => {
    if (secret === null) return
    const timer = setTimeout(onClose, visibleMs)
    return () => clearTimeout(timer)
  }, [secret])
  return (
    <Dialog
      title="Signing secret"
      onClose={onClose}
      intro="The signing key is the full secret, including whsec_. This dialog closes after one minute. The audit log records that you viewed the secret."
    >
      {error !== null && <ErrorPanel error={error} />}
      {error === null && secret === null && <Skeleton rows={1} />}
      {secret !== null && (
        <div className="flex flex-wrap items-center gap-3 rounded-control bg-sunken p-3">
          <code className="min-w-0 font-mono text-sentence break-all">{secret}</code>
          <CopyButton text={secret} label="Copy secret" />
        </div>
      )}
    </Dialog>
  )
}

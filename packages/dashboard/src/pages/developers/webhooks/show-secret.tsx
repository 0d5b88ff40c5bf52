/**
 * The signing secret, for a minute. Its text lives in this dialog alone: it is asked for when the dialog opens, kept in
 * no cache, no address and no storage, and forgotten when the dialog closes.
 */
import { useEffect, useState } from 'react'
import { useApi } from '../../../api/workspace.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorPanel, Skeleton } from '../../../ui/states.tsx'
import { CopyButton } from '../../../ui/values.tsx'

const shownMs = 60_000

export function ShowSecret({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const api = useApi()
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const left = new AbortController()
    api.webhookEndpoints.revealSecret(endpointId, { signal: left.signal }).then(
      (revealed) => setSecret(revealed.secret),
      (cause) => left.signal.aborted || setError(cause as Error),
    )
    return () => left.abort()
  }, [api, endpointId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the minute begins when the text is there.
  useEffect(() => {
    if (secret === null) return
    const timer = setTimeout(onClose, shownMs)
    return () => clearTimeout(timer)
  }, [secret])
  return (
    <Dialog
      title="Signing secret"
      onClose={onClose}
      intro="All of it, with whsec_, is the key of signatures. This dialog closes after a minute, and the audit log says that you have looked."
    >
      {error !== null && <ErrorPanel error={error} />}
      {error === null && secret === null && <Skeleton rows={1} />}
      {secret !== null && (
        <div className="flex flex-wrap items-center gap-3 rounded-control bg-sunken p-3">
          <code className="min-w-0 font-mono text-sentence break-all">{secret}</code>
          <CopyButton text={secret} label="Copy the secret" />
        </div>
      )}
    </Dialog>
  )
}

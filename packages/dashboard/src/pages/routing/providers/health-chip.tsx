import type { ProviderAccount } from '@switchyard/sdk'
import { Chip } from '../../../ui/status.tsx'
import { healthOf } from './account-health.ts'

export function HealthChip({ account }: { account: ProviderAccount }) {
  const { text, mark, tone, reason } = healthOf(account)
  return (
    <span title={reason}>
      <Chip mark={mark} tone={tone} text={text} />
    </span>
  )
}

// The Grafana dashboards for operators, in the order to look at them.

import { billing } from './billing.ts'
import type { Board } from './board.ts'
import { engine } from './engine.ts'
import { overview } from './overview.ts'
import { payments } from './payments.ts'
import { webhooks } from './webhooks.ts'

export const boards: readonly Board[] = [overview, payments, webhooks, billing, engine]

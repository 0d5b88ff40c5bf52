import { Type } from 'typebox'
import { OneOf } from '../../../../kernel/shapes.ts'
import { profiles } from '../e-invoice-model.ts'

export const XmlQuery = Type.Object(
  {
    format: Type.Optional(
      OneOf(['cii', 'ubl'], {
        description: 'Syntax: `cii` (UN/CEFACT, D16B) or `ubl` (UBL 2.1). Default: `cii`.',
        examples: ['ubl'],
        loggable: true,
      }),
    ),
    profile: Type.Optional(
      OneOf(profiles, {
        description:
          'What the receiver requires. `en16931`: the European standard, as in Factur-X and ZUGFeRD. `xrechnung`: XRechnung 3.0, for German authorities. `peppol`: Peppol BIS Billing 3.0, in `ubl` only. Default: `en16931`.',
        examples: ['xrechnung'],
        loggable: true,
      }),
    ),
  },
  { additionalProperties: false },
)

import { Member } from '@app/http';
import { text } from '@app/schema';
import { assetLimits } from '../provider/asset.schema';

export class PrepareWithdrawalDto {
  @Member(
    text({
      min: 1,
      max: assetLimits.tokenIdLengthMax,
      description: 'One of the assets of `wallets.withdrawalSources`',
    }),
  )
  tokenId: string;

  @Member(
    text({
      min: 1,
      max: assetLimits.amountDigitsMax,
      pattern: /^[1-9][0-9]*$/,
      message: `must be a positive whole number of at most ${assetLimits.amountDigitsMax} digits, as a text without leading zeros`,
      description: "In the token's smallest unit: positive, without leading zeros, at most the balance",
    }),
  )
  amountRaw: string;
}

export class ConfirmWithdrawalDto {
  @Member(text({ description: 'As `wallets.prepareWithdrawal` answered it; any other is `withdrawal_changed`' }))
  fingerprint: string;
}

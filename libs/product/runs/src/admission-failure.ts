import { issueWords, reasons, words, type Refusal, type Words } from '@app/kernel';

/** Returns why a run could not be admitted, in words for its user, and whether a later attempt may succeed. */
export function admissionFailure(refusal: Refusal): { readonly why: Words; readonly canPass: boolean } {
  switch (refusal.kind) {
    case 'reason': {
      const { title, retryable } = reasons[refusal.reason];
      return { why: words`${title}.`, canPass: refusal.retryable ?? retryable };
    }
    case 'not_found':
      return { why: words`The conversation was archived meanwhile.`, canPass: true };
    case 'invalid_input':
      return { why: words`The run cannot start: ${issueWords(refusal.issues.slice(0, 1))}.`, canPass: false };
  }
}

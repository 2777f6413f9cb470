import { activityGroup } from '@app/activity';
import { approvalsGroup } from '@app/approvals';
import { artifactsGroup } from '@app/artifacts';
import { transparencyGroup } from '@app/audit';
import { automationsGroup } from '@app/automations';
import { budgetGroup } from '@app/budget';
import { conversationsGroup, messagesGroup } from '@app/conversations';
import { toolServersGroup } from '@app/engine';
import { feedGroup } from '@app/feed';
import { serviceGroup, type ApiDescription } from '@app/http';
import { eventsGroup } from '@app/journal';
import { runsGroup } from '@app/runs';
import { sandboxGroup } from '@app/sandbox';
import { usersGroup } from '@app/users';
import { financialOperationsGroup, walletsGroup } from '@app/wallets';

const description = `Parley gives a partner's users an AI agent that holds conversations, runs tools, and moves money only with consent.

Runs are asynchronous: a \`202\` means that the work was accepted, and the conversation's journal tells what came of it. A tool that
needs consent opens an approval; its contract and fingerprint are what the user decides on. A completed run is never evidence of
settlement: \`financialOperations.get\` is.

Every call to \`/v1\` carries a partner key and the user's access token; \`/feed/v1\` asks for a key alone. Response objects are open: ignore members
that you do not know. Request bodies are closed: a member that is not documented is refused; \`null\` for a member that is not required is its absence. Enums
are closed. Every failure says whether the same request can succeed later (\`retryable\`); every 503 can. The events of the
journal are described by \`/asyncapi.json\`.`;

/** Title, description and groups of operations of the OpenAPI document, in reading order. */
export const partnerApi: ApiDescription = {
  title: 'Parley partner API',
  description,
  groups: [
    usersGroup,
    conversationsGroup,
    messagesGroup,
    runsGroup,
    approvalsGroup,
    walletsGroup,
    financialOperationsGroup,
    budgetGroup,
    automationsGroup,
    artifactsGroup,
    eventsGroup,
    activityGroup,
    feedGroup,
    transparencyGroup,
    toolServersGroup,
    serviceGroup,
    sandboxGroup,
  ],
};

"""The service: releases over HTTP, each paid for in the ledger before its bytes leave."""

"""Making the networks: pictures to learn from, training, export. Only this package needs torch and ultralytics."""
